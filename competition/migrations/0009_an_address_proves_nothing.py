"""Accounts may share an address, and each has the row allauth keeps of its own."""

from django.db import migrations
from django.db.models import Exists, OuterRef
from django.db.models.functions import Lower


def keep_addresses(apps, schema_editor):
    here = schema_editor.connection.alias
    addresses = apps.get_model("account", "EmailAddress").objects.using(here)
    EmailAddress = addresses.model
    rows = addresses.filter(user=OuterRef("pk"))
    users = apps.get_model("competition", "User").objects.using(here)
    kept = Exists(rows.filter(email=Lower(OuterRef("email"))))
    made = [
        EmailAddress(user=user, email=user.email.lower(), primary=not user.has_primary)
        for user in users.exclude(email="")
        .exclude(kept)
        .annotate(has_primary=Exists(rows.filter(primary=True)))
        .iterator()
    ]
    addresses.bulk_create(made, batch_size=500)


class Migration(migrations.Migration):
    dependencies = [
        ("account", "0009_emailaddress_unique_primary_email"),
        ("competition", "0008_submission_deadline"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="user", name="user_email_unique"),
        migrations.RunPython(keep_addresses, migrations.RunPython.noop),
    ]
