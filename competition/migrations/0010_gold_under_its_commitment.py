"""Stored gold is filed under its version's commitment, with the salt beside the bytes that the web may not read.

Until now it was filed under the bare digest, which confirms a guess, and the salt stood with the version.
"""

from django.db import migrations, models


def refile(apps, schema_editor):
    here = schema_editor.connection.alias
    blobs = apps.get_model("competition", "GoldBlob").objects.using(here)
    versions = apps.get_model("competition", "GoldVersion").objects.using(here)
    before = list(blobs.values_list("pk", flat=True))
    for pk, filed, commitment, salt in list(versions.values_list("pk", "blob", "commitment", "salt")):
        old = blobs.get(pk=filed)
        blobs.create(digest=commitment, size=old.size, packed=old.packed, salt=salt)
        blobs.filter(pk=commitment).update(created_at=old.created_at)
        versions.filter(pk=pk).update(blob=commitment)
    blobs.filter(pk__in=before).delete()
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # or the table could not be altered below


class Migration(migrations.Migration):
    dependencies = [("competition", "0009_an_address_proves_nothing")]

    operations = [
        migrations.AddField(
            "goldblob", "salt", models.CharField(default="", max_length=64), preserve_default=False
        ),
        migrations.RunPython(refile),
        migrations.RemoveField("goldversion", "salt"),
    ]
