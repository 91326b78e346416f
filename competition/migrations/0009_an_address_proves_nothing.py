"""Addresses are no longer unique on the account, and every account has the row allauth keeps of its address."""

from django.db import migrations
from django.db.models import Exists, OuterRef
from django.db.models.functions import Lower


def keep_addresses(apps, schema_editor):
    User = apps.get_model("competition", "User")
    EmailAddress = apps.get_model("account", "EmailAddress")
    rows = EmailAddress.objects.filter(user=OuterRef("pk"))
    missing = User.objects.exclude(email="").exclude(Exists(rows.filter(email=Lower(OuterRef("email")))))
    made = [
        EmailAddress(user=user, email=user.email.lower(), primary=not user.has_primary)
        for user in missing.annotate(has_primary=Exists(rows.filter(primary=True))).iterator()
    ]
    EmailAddress.objects.bulk_create(made, batch_size=500)


class Migration(migrations.Migration):
    dependencies = [
        ("account", "0009_emailaddress_unique_primary_email"),
        ("competition", "0008_submission_deadline"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="user", name="user_email_unique"),
        migrations.RunPython(keep_addresses, migrations.RunPython.noop),
    ]
