"""Builds the validator participants download: one file, standard library only, made of the site's modules.

The source files are embedded as they are, as text a reader can audit, and found by a small import hook. What
a track needs (slim items, options, limits, a sample run) stands beside them as JSON. The same input gives the
same bytes.
"""

from __future__ import annotations

import ast
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import scoring
from scoring.records import Items, Limits
from scoring.tracks.base import Kind

ROOT = Path(scoring.__file__).resolve().parent
ENTRY = "scoring.standalone"
EPOCH = (1980, 1, 1, 0, 0, 0)

_LAUNCHER = '''\
#!/usr/bin/env python3
"""Validator for {title}.

    python {file_name} RUN [--json] [--max-errors N] [--strict] [--version] [--self-test]

Python 3.9 or newer, nothing to install, no network. It holds the modules the site itself checks runs with,
unchanged, and the public ids and rules of this phase.
"""

import importlib.abc
import importlib.util
import json
import linecache
import sys

MODULES = {{}}
{modules}
DATA = r\'\'\'{data}\'\'\'


class Embedded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules above."""

    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            is_package = any(other.startswith(name + ".") for other in MODULES)
            return importlib.util.spec_from_loader(name, self, is_package=is_package)
        return None

    def exec_module(self, module):
        source, place = MODULES[module.__name__], "<validator>/" + module.__name__
        linecache.cache[place] = (len(source), None, source.splitlines(True), place)
        exec(compile(source, place, "exec"), module.__dict__)


if sys.version_info < (3, 9):
    sys.exit("This validator needs Python 3.9 or newer; this is " + sys.version.split()[0] + ".")
sys.meta_path.insert(0, Embedded())

if __name__ == "__main__":
    from scoring.standalone import main

    sys.exit(main(sys.argv[1:], json.loads(DATA), {file_name!r}))
'''

_ARCHIVE_MAIN = '''\
"""python validators.pyz TRACK RUN [options]: every open track's validator in one file."""

import json
import sys
import zipfile

TRACKS = {tracks!r}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TRACKS:
        usage = "Name a track first: python validators.pyz TRACK RUN. Tracks:"
        print(usage, *TRACKS, sep="\\n  ", file=sys.stderr)
        sys.exit(2)
    from scoring.standalone import main

    with zipfile.ZipFile(sys.argv[0]) as archive:
        data = json.loads(archive.read("tracks/" + sys.argv[1] + ".json"))
    sys.exit(main(sys.argv[2:], data, "validators.pyz " + sys.argv[1]))
'''


def rules_of(
    kind: Kind,
    items: Items,
    *,
    task: str,
    track: str,
    phase: str,
    options: Mapping[str, str],
    limits: Limits,
    sample: bytes,
) -> dict[str, Any]:
    """What a validator carries of one track and phase: nothing but public things.

    `options` are the track's settings as text; `sample` is a valid run. `rules` digests all but the items.
    """
    data: dict[str, Any] = {
        "task": task,
        "track": track,
        "phase": phase,
        "kind": kind.name,
        "module": type(kind).__module__,
        "scoring": scoring.__version__,
        "options": dict(options),
        "limits": limits._asdict(),
        "sample": sample.decode("utf-8"),
    }
    stated = json.dumps(data, sort_keys=True).encode() + b"".join(_modules([kind]).values())
    data["rules"] = f"{kind.name}.{kind.version}-{sha256(stated).hexdigest()[:12]}"
    data["items_digest"] = items.digest
    data["items"] = [kind.slim(item) for item in items.records.values()]
    return data


def build_validator(kind: Kind, data: Mapping[str, Any], file_name: str) -> bytes:
    """`file_name`, such as validate_<track>.py, as bytes. `data` comes from `rules_of`."""
    modules = "\n".join(
        f"MODULES[{name!r}] = r'''{_embeddable(name, source)}'''\n"
        for name, source in _modules([kind]).items()
    )
    packed = json.dumps(data, sort_keys=True).replace("'", "\\u0027")
    title = json.dumps(f"{data['task']}, {data['track']}, {data['phase']}")[1:-1].replace('"', "")
    return _LAUNCHER.format(title=title, file_name=file_name, modules=modules, data=packed).encode()


def build_archive(tracks: Mapping[str, tuple[Kind, Mapping[str, Any]]]) -> bytes:
    """`validators.pyz` as bytes: track name → its kind and `rules_of`."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        _put(archive, "__main__.py", _ARCHIVE_MAIN.format(tracks=sorted(tracks)).encode())
        for name, source in _modules([kind for kind, _ in tracks.values()]).items():
            suffix = "/__init__.py" if _path_of(name).name == "__init__.py" else ".py"
            _put(archive, name.replace(".", "/") + suffix, source)
        for name in sorted(tracks):
            _put(archive, f"tracks/{name}.json", json.dumps(tracks[name][1], sort_keys=True).encode())
    return kept.getvalue()


@cache
def sources_digest(kinds: tuple[Kind, ...]) -> str:
    """SHA-256 over all code that goes into validators of these kinds, the builder's own included."""
    sources = {"": Path(__file__).read_bytes(), **_modules(kinds)}
    return sha256(b"".join(sha256(source).digest() for source in sources.values())).hexdigest()


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)


def _embeddable(name: str, source: bytes) -> str:
    """Text fit for a raw string in single triple quotes, which must not change it."""
    text = source.decode("utf-8")
    if "'''" in text or text.endswith(("'", "\\")):
        raise ValueError(
            f"{name} cannot be embedded: it has three single quotes, or ends in a quote or backslash"
        )
    return text


def _modules(kinds: Iterable[Kind]) -> dict[str, bytes]:
    """Module name → source of everything the entry and the kinds import when loaded, sorted by name."""
    found: dict[str, bytes] = {}
    waiting = [ENTRY, *(type(kind).__module__ for kind in kinds)]
    with _READING:
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found[name], imported = _source(name)
            waiting += [*imported, name.rpartition(".")[0] or name]
    return dict(sorted(found.items()))


_READING = Lock()
"""Python 3.11 cannot parse in two threads at once (python/cpython#106905)."""


@cache
def _source(name: str) -> tuple[bytes, tuple[str, ...]]:
    """The source of a module, and the modules of `scoring` it imports when loaded.

    A folder that is a package without an `__init__` has no source: an empty one stands for it.
    """
    path = _path_of(name)
    source = path.read_bytes() if path.is_file() else b""
    return source, tuple(_imported(source))


def _path_of(name: str) -> Path:
    """The source file of a module; one outside `scoring` (a kind of somebody's own) is asked of Python."""
    if name.split(".")[0] != "scoring":
        return Path(import_module(name).__file__ or "")
    base = ROOT.parent.joinpath(*name.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def _imported(source: bytes) -> list[str]:
    """Modules of `scoring` that a file imports at its top level; imports inside functions are left alone."""
    names = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name.split(".")[0] == "scoring"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "scoring":
            submodules = [f"{node.module}.{alias.name}" for alias in node.names]
            inside = [name for name in submodules if _path_of(name).exists()]
            names += inside or [str(node.module)]
    return names
