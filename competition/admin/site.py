"""The site object of the desk."""

from __future__ import annotations

from django.contrib.admin import AdminSite


class Desk(AdminSite):
    site_header = "Podium: organizers' desk"
    site_title = "Podium desk"
    index_title = "What would you like to look after?"


desk = Desk(name="admin")
