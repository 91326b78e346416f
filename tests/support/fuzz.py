"""Files a team might send by accident or on purpose, made from one that is right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random

Mutation = Callable[[bytes, Random], bytes]

WEIRD = (None, True, 0, -0.0, 1e308, [], {}, "", " ", "\u200b", "\u202e", "\x00", "＝1", [[]], {"q0": 1})


def _flip(content: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(content))
    return content[:at] + bytes([draw.randrange(256)]) + content[at + 1 :]


def _cut(content: bytes, draw: Random) -> bytes:
    first, second = sorted(draw.sample(range(len(content)), 2))
    return content[:first] + content[second:]


def _repeat(content: bytes, draw: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    return content + draw.choice(lines) * draw.randrange(1, 5)


def _shuffle(content: bytes, draw: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def _field(content: bytes, draw: Random) -> bytes:
    """One value of one line, or its name, is something else."""
    records = [json.loads(line) for line in content.splitlines()]
    record = draw.choice(records)
    name = draw.choice(list(record))
    if draw.random() < 0.3:
        record[draw.choice(["id", "gold", "references", "answer ", "ANSWER"])] = record.pop(name)
    else:
        record[name] = draw.choice(WEIRD)
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records).encode()


def _nest(content: bytes, draw: Random) -> bytes:
    depth = draw.choice([10, 100, 100_000])
    return content + b'{"task_id": "q0", "answer": ' + b"[" * depth + b"]" * depth + b"}\n"


def _number(content: bytes, draw: Random) -> bytes:
    value = draw.choice([b"1e999", b"NaN", b"9" * 5_000, b"-Infinity", b"0x10"])
    return content + b'{"task_id": "q0", "answer": ' + value + b"}\n"


def _encoding(content: bytes, draw: Random) -> bytes:
    return content.decode().encode(draw.choice(["utf-16", "utf-32", "utf-8-sig", "utf-7"]))


def _lines(content: bytes, draw: Random) -> bytes:
    return content.replace(b"\n", draw.choice([b"\r", b"\r\n", b"\n\n", b"", b"\x00"]))


def _prefix(content: bytes, draw: Random) -> bytes:
    return draw.choice([b"PK\x03\x04", b"\x1f\x8b\x08", b"%PDF-", b"```json\n", b"["]) + content


def _word(content: bytes, draw: Random) -> bytes:
    """A valid run that answers otherwise."""
    return content.replace(b"revenue", str(draw.random()).encode())


MUTATIONS: tuple[Mutation, ...] = (
    *(_flip, _cut, _repeat, _shuffle, _field, _nest, _number, _encoding, _lines, _prefix, _word),
)


def mutants(content: bytes, draw: Random, count: int) -> Iterator[bytes]:
    """`count` files, each one to three mutations away from `content`."""
    for number in range(count):
        mutant = MUTATIONS[number % len(MUTATIONS)](content, draw)
        for _ in range(draw.randrange(3)):
            if mutant:
                mutant = draw.choice((_flip, _lines, _prefix))(mutant, draw)
        yield mutant
