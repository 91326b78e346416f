"""Reading imports from syntax trees, without running anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Import:
    """`module` is the dotted name imported; `at_start` tells whether loading the importer loads it."""

    module: str
    line: int
    at_start: bool


def module_name(path: Path) -> str:
    """competition/views/home.py → competition.views.home"""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources(*rooms: str) -> list[Path]:
    """The Python files of these folders, relative to the repository, migrations aside: those never change."""
    found = (path.relative_to(ROOT) for room in rooms for path in (ROOT / room).rglob("*.py"))
    return sorted(path for path in found if "migrations" not in path.parts)


def tree_of(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), str(path))


def imports_of(tree: ast.Module, path: Path) -> Iterator[Import]:
    """Every import in the file. `from a import b` gives a.b: b may be a module, and a name does no harm."""
    yield from _walk(tree, module_name(path), path.stem == "__init__", at_start=True)


def _walk(node: ast.AST, module: str, is_package: bool, at_start: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, at_start) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = _base(child, module, is_package)
            yield from (Import(f"{base}.{alias.name}", child.lineno, at_start) for alias in child.names)
        else:
            later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _types_only(
                child
            )
            yield from _walk(child, module, is_package, at_start and not later)


def _base(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    up = node.level - is_package
    parts = module.split(".")
    parts = parts[: len(parts) - up]
    return ".".join([*parts, node.module] if node.module else parts)


def _types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
