"""Recognises by its first bytes a file that is no UTF-8 text, so that it can be refused by name."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """Another file format: the problem's code, the name with its article, and the way out."""

    code: str
    name: str
    hint: str


_UNPACK = "Unpack it and send the .jsonl file inside."
_ENCODING = "Save the file as UTF-8 (in PowerShell: Out-File -Encoding utf8)."
_WRONG_FILE = "Was the wrong file chosen? Send the .jsonl file with one object a line."

_SIGNATURES = [
    (b"PK\x03\x04", "E005", "a ZIP archive (.zip, .xlsx, .docx)", _UNPACK),
    (b"PK\x05\x06", "E005", "an empty ZIP archive", _UNPACK),
    (b"\x1f\x8b", "E006", "a gzip file", _UNPACK),
    (b"\xff\xfe\x00\x00", "E003", "UTF-32 text", _ENCODING),
    (b"\x00\x00\xfe\xff", "E003", "UTF-32 text", _ENCODING),
    (b"\xff\xfe", "E003", "UTF-16 text", _ENCODING),
    (b"\xfe\xff", "E003", "UTF-16 text", _ENCODING),
    (b"\x89PNG", "E007", "a PNG picture", _WRONG_FILE),
    (b"\xff\xd8\xff", "E007", "a JPEG picture", _WRONG_FILE),
    (b"GIF8", "E007", "a GIF picture", _WRONG_FILE),
    (b"%PDF", "E007", "a PDF document", _WRONG_FILE),
    (b"BZh", "E007", "a bzip2 file", _UNPACK),
    (b"\xfd7zXZ\x00", "E007", "an xz file", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "E007", "a Zstandard file", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "E007", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "E007", "a RAR archive", _UNPACK),
    (b"PAR1", "E007", "a Parquet table", "Export it as JSON Lines."),
    (b"ARROW1", "E007", "an Arrow table", "Export it as JSON Lines."),
    (b"SQLite format 3\x00", "E007", "an SQLite database", "Export it as JSON Lines."),
    (b"\x93NUMPY", "E007", "a NumPy array", "Export it as JSON Lines."),
    (b"\xd0\xcf\x11\xe0", "E007", "an old Office document", _WRONG_FILE),
    (b"\x7fELF", "E007", "a program", _WRONG_FILE),
    (b"\x80\x04\x95", "E007", "a Python pickle", "Write it with json.dumps, one record a line."),
    (b"\x80\x05\x95", "E007", "a Python pickle", "Write it with json.dumps, one record a line."),
]

_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")


def other_format(start: bytes) -> Format | None:
    """What the file is, judged by its first kilobyte, or None when it may be UTF-8 text."""
    for signature, code, name, hint in _SIGNATURES:
        if start.startswith(signature):
            return Format(code, name, hint)
    width = _wide_encoding(start)
    if width:
        return Format("E003", f"text that looks like UTF-{width} without its mark", _ENCODING)
    return Format("E007", "binary data", _WRONG_FILE) if _is_binary(start) else None


def _wide_encoding(start: bytes) -> int:
    """16 or 32 when the first characters are ASCII in that width, else 0 (as RFC 4627 tells them apart)."""
    zeros = tuple(byte == 0 for byte in start[:4])
    if zeros in ((True, True, True, False), (False, True, True, True)):
        return 32
    if zeros in ((True, False, True, False), (False, True, False, True)):
        return 16
    return 0


def _is_binary(start: bytes) -> bool:
    """Many control bytes, or some together with bytes that are no UTF-8. One stray byte is a line's fault."""
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in start)
    try:
        start[:-4].decode("utf-8")
        utf8 = True
    except UnicodeDecodeError as error:
        utf8 = error.start >= len(start) - 8
    return controls >= 4 and controls * (10 if utf8 else 50) > len(start)
