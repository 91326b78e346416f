"""The database's own guards: are they there at all?"""

from __future__ import annotations

from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import ForeignKey

from competition import triggers
from competition.operations.invariants.registry import Found, check
from competition.operations.rows import kept_models


@check
def frozen_tables_are_guarded() -> Found:
    """Every trigger that keeps frozen rows frozen is there and awake."""
    awake = triggers.awake(connection)
    for model in triggers.frozen_models():
        for name in triggers.names(connection, model):
            if name not in awake:
                yield model._meta.label, f"the guard {name} is gone; `manage.py migrate` puts it back"


@check
def constraints_are_in_place() -> Found:
    """Every named constraint and index of our models stands in the database."""
    with connection.cursor() as cursor:
        for model in apps.get_app_config("competition").get_models():
            present = connection.introspection.get_constraints(cursor, model._meta.db_table)
            for rule in (*model._meta.constraints, *model._meta.indexes):
                if rule.name not in present:
                    yield model._meta.label, f"{rule.name} is gone"


@check
def references_lead_somewhere() -> Found:
    """No row names another that is not there."""
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        for model in kept_models():
            for field in model._meta.concrete_fields:
                if not isinstance(field, ForeignKey):
                    continue
                mine, theirs = quote(model._meta.db_table), quote(field.related_model._meta.db_table)
                column, key = quote(str(field.column)), quote(str(field.target_field.column))
                cursor.execute(
                    f"SELECT count(*) FROM {mine} AS a LEFT JOIN {theirs} AS b ON a.{column} = b.{key} "  # nosec B608
                    f"WHERE a.{column} IS NOT NULL AND b.{key} IS NULL"
                )
                lost = cursor.fetchone()[0]
                if lost:
                    yield model._meta.label, f"{lost} rows name a {field.name} that does not exist"


@check
def migrations_are_applied() -> Found:
    """The tables are those this version was written for."""
    executor = MigrationExecutor(connection)
    for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes()):
        yield f"{migration.app_label}.{migration.name}", "is not applied; run `manage.py migrate`"
