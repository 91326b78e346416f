"""An evaluation names its submission's team. Filled here; 0007 makes it required, in a transaction of its own."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def name_the_team(apps, schema_editor):
    submissions = apps.get_model("competition", "Submission").objects.using(schema_editor.connection.alias)
    evaluations = apps.get_model("competition", "Evaluation").objects.using(schema_editor.connection.alias)
    evaluations.update(team=Subquery(submissions.filter(pk=OuterRef("submission")).values("team")[:1]))


class Migration(migrations.Migration):
    dependencies = [("competition", "0005_api_tokens")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="competition.team",
            ),
        ),
        migrations.RunPython(name_the_team, migrations.RunPython.noop),
    ]
