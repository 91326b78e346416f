import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0006_evaluation_team")]

    operations = [
        migrations.AlterField(
            model_name="evaluation",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                help_text="The submission's, here as well so that taking turns is an index look-up.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="competition.team",
            ),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                condition=models.Q(("status", "queued")),
                fields=["team", "queued_at", "id"],
                name="evaluation_turn",
            ),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(fields=["team", "started_at"], name="evaluation_served"),
        ),
    ]
