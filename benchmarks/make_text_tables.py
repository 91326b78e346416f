"""Writes scoring/text/tables.py from the Unicode tables of the Python that runs it.

    python3.13 benchmarks/make_text_tables.py > scoring/text/tables.py

Run it only for a new text profile: scores depend on these tables, so a new table is a new version of `multi`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

WIDTH = 100


def ranges(belongs: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Inclusive ranges of the code points whose general category satisfies `belongs`."""
    found: list[tuple[int, int]] = []
    for code in range(0x110000):
        if belongs(unicodedata.category(chr(code))):
            if found and found[-1][1] == code - 1:
                found[-1] = (found[-1][0], code)
            else:
                found.append((code, code))
    return found


def written(name: str, pairs: list[tuple[int, int]]) -> str:
    """A module constant: hexadecimal ranges, "41-5A AA", wrapped."""
    words = [f"{low:X}" if low == high else f"{low:X}-{high:X}" for low, high in pairs]
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) + 1 > WIDTH:
            lines.append(line)
            line = ""
        line += word + " "
    lines.append(line.rstrip())
    body = "\n".join(f'    "{line}"' for line in lines)
    return f"{name} = (\n{body}\n)"


def main() -> None:
    print(
        '"""Unicode general categories as ranges of code points. Made by benchmarks/make_text_tables.py."""\n'
    )
    print("from __future__ import annotations\n")
    print(f'UNICODE = "{unicodedata.unidata_version}"\n')
    print("# Letters: L*")
    print(written("LETTERS", ranges(lambda category: category[0] == "L")) + "\n")
    print("# Combining marks: M*")
    print(written("MARKS", ranges(lambda category: category[0] == "M")) + "\n")
    print("# Decimal digits: Nd")
    print(written("DIGITS", ranges(lambda category: category == "Nd")))


if __name__ == "__main__":
    main()
