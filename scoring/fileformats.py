"""Recognises by its first bytes a file that is no UTF-8 text, so that it can be refused by name."""

from __future__ import annotations

from scoring.complaints import BINARY, GZIP, PACKED, WIDE_TEXT, ZIP, Complaint

_SIGNATURES = (
    (b"PK\x03\x04", ZIP, "a ZIP archive (.zip, .xlsx, .docx)"),
    (b"PK\x05\x06", ZIP, "an empty ZIP archive"),
    (b"\x1f\x8b", GZIP, "a gzip file"),
    (b"\xff\xfe\x00\x00", WIDE_TEXT, "UTF-32"),
    (b"\x00\x00\xfe\xff", WIDE_TEXT, "UTF-32"),
    (b"\xff\xfe", WIDE_TEXT, "UTF-16"),
    (b"\xfe\xff", WIDE_TEXT, "UTF-16"),
    (b"\x89PNG", BINARY, "a PNG picture"),
    (b"\xff\xd8\xff", BINARY, "a JPEG picture"),
    (b"GIF8", BINARY, "a GIF picture"),
    (b"RIFF", BINARY, "a picture, sound or film"),
    (b"%PDF", BINARY, "a PDF document"),
    (b"\xd0\xcf\x11\xe0", BINARY, "an old Office document"),
    (b"BZh", PACKED, "a bzip2 file"),
    (b"\xfd7zXZ\x00", PACKED, "an xz file"),
    (b"\x28\xb5\x2f\xfd", PACKED, "a Zstandard file"),
    (b"7z\xbc\xaf\x27\x1c", PACKED, "a 7-Zip archive"),
    (b"Rar!", PACKED, "a RAR archive"),
    (b"PAR1", BINARY, "a Parquet table"),
    (b"ARROW1", BINARY, "an Arrow table"),
    (b"SQLite format 3\x00", BINARY, "an SQLite database"),
    (b"\x93NUMPY", BINARY, "a NumPy array"),
    (b"\x89HDF", BINARY, "an HDF5 file"),
    (b"\x80\x03", BINARY, "a Python pickle"),
    (b"\x80\x04", BINARY, "a Python pickle"),
    (b"\x80\x05", BINARY, "a Python pickle"),
    (b"\x7fELF", BINARY, "a program"),
)

_WIDE = {"0001": "UTF-32", "1000": "UTF-32", "0101": "UTF-16", "1010": "UTF-16"}
"""Which of the first four bytes are not zero when ASCII characters come in wider units."""

_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")


def other_format(start: bytes) -> tuple[Complaint, str] | None:
    """The complaint and the format's name, judged by the first kilobyte; None when it may be UTF-8 text."""
    for signature, complaint, name in _SIGNATURES:
        if start.startswith(signature):
            return complaint, name
    wide = _WIDE.get("".join("1" if byte else "0" for byte in start[:4]))
    if wide:
        return WIDE_TEXT, wide
    return (BINARY, "binary data") if _is_binary(start) else None


def _is_binary(start: bytes) -> bool:
    """Many control bytes, fewer when bytes are no UTF-8 besides. A stray byte or two are a line's fault."""
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in start)
    try:
        start.decode("utf-8")
        share = 10
    except UnicodeDecodeError as error:
        share = 10 if error.start >= len(start) - 3 else 50
    return controls >= 4 and controls * share > len(start)
