"""The WSGI entry point: `gunicorn competition.wsgi`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "competition.settings")


def made() -> WSGIApplication:
    application = get_wsgi_application()  # sets Django up: what follows needs its models
    from competition.middleware import with_readable_type

    return with_readable_type(application)


application = made()
