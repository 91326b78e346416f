"""A run names the deadline it was taken under. Runs from before name none: it may have been moved since."""

from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("competition", "0007_evaluation_turns")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="deadline",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                help_text="The phase's close with its grace, as it stood when the run was taken; none for "
                "baselines.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=Q(deadline__isnull=True) | Q(received_at__lt=F("deadline")),
                name="submission_before_its_deadline",
                violation_error_message="A run is received before the deadline it was taken under.",
            ),
        ),
    ]
