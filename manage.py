#!/usr/bin/env python
"""The command line of the site: `python manage.py help`."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "competition.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
