"""The sentences of the reader: one `Complaint` for each thing that can be wrong with bytes or syntax.

Words in braces are filled in where the fault is found. `catalogue` explains the codes at length.
"""

from __future__ import annotations

from typing import NamedTuple


class Complaint(NamedTuple):
    """Code, sentence, what was expected instead, and the fix."""

    code: str
    message: str
    expected: str | None = None
    hint: str | None = None


_DUMPS = "Write each line with a JSON library (in Python: json.dumps(record))."
_WRONG_FILE = "Was the wrong file chosen? Send the .jsonl file with one object a line."

# The file as a whole

EMPTY = Complaint(
    "E001", "The file is empty.", "one line for each item", "Was it saved before it was written?"
)
FILE_TOO_LARGE = Complaint(
    "E002", "The file is larger than {size}, the most allowed here.", "at most {count:,} bytes"
)
WIDE_TEXT = Complaint(
    "E003",
    "The file is not UTF-8: it looks like {name}.",
    "UTF-8",
    "Save it as UTF-8 (in PowerShell: Out-File -Encoding utf8).",
)
ZIP = Complaint(
    "E005",
    "The file is {name}, not plain JSON Lines.",
    "a plain .jsonl file",
    "Unpack it and send the .jsonl file inside.",
)
GZIP = ZIP._replace(code="E006")
PACKED = ZIP._replace(code="E007")
BINARY = Complaint("E007", "The file is {name}, not JSON Lines.", "a plain .jsonl file", _WRONG_FILE)
OLD_LINE_ENDS = Complaint(
    "E008",
    "Lines end with a lone carriage return (CR), as on very old Macs, so records run into each other.",
    "lines that end with LF or CRLF",
    "Save the file with Unix (LF) or Windows (CRLF) line ends.",
)
TOO_MANY_LINES = Complaint(
    "E010", "The file has more than {count:,} lines, the most allowed here.", "one line for each item"
)
ARRAY = Complaint(
    "E102",
    "One JSON object per line expected, found a JSON array that holds the records.",
    "a line {{…}} for each record",
    "Write each element on a line of its own, without the brackets and without commas between them.",
)
PRETTY = Complaint(
    "E103",
    "The file looks pretty-printed: each record must be on one line.",
    "one record on each line",
    "Write json.dumps(record) without indent, and one line break after each record.",
)
BOM_DROPPED = Complaint("I901", "A byte order mark at the start of the file was ignored.")
BLANK_SKIPPED = Complaint("I902", "{count} skipped.")

# A line as a whole

NO_UTF8 = Complaint(
    "E004",
    "Column {column}: invalid UTF-8, the byte {byte} (hexadecimal) belongs to no character.",
    "UTF-8",
    "The file seems saved in another encoding (Latin-1, Windows-1252, Shift JIS): save it as UTF-8.",
)
LINE_TOO_LONG = Complaint(
    "E009",
    "This line is longer than {size}, the most allowed for one line.",
    "at most {count:,} bytes",
    "Are all records on one line, or did a text repeat without end?",
)
FENCE = Complaint(
    "E104",
    "This is a code-fence line ({fence}) of Markdown, not a record.",
    None,
    "Remove the fence lines and keep the records between them.",
)
NO_OBJECT = Complaint(
    "E113", "A JSON object is expected on each line, found {kind}.", "an object {{…}}", _DUMPS
)
MANY_FAULTY = Complaint("E101", "This line is not good JSON, like many before it.", "a JSON object", _DUMPS)

# A place in a line

BOM_INSIDE = Complaint(
    "E011",
    "a byte order mark (U+FEFF) stands inside the file",
    None,
    "Two files were joined: save each without the mark first, or remove it here.",
)
STRAY_RETURN = Complaint(
    "E008",
    "a carriage return (U+000D) without a line feed stands in the line",
    "lines that end with LF or CRLF",
    "Inside a text write it as \\r; elsewhere remove it.",
)
NOT_JSON = Complaint("E101", "this line is not JSON: it does not begin with {{", "a line {{…}}", _DUMPS)
WEB_PAGE = NOT_JSON._replace(hint="This looks like a web page. Was a log-in page saved instead of the file?")
TOO_INTRICATE = Complaint(
    "E101", "something behind this place is wrong; all before it is fine", "a JSON object", _DUMPS
)
NO_VALUE = Complaint("E101", "a value is missing before {found}", "a value")
NOT_A_VALUE = Complaint("E101", "{found} stands where a value belongs", "a string, number, list or object")
BARE_WORD = Complaint(
    "E101", "the text {found} stands without quotes", "a value", "Put text in double quotes."
)
BARE_KEY = Complaint(
    "E101", "the key {found} stands without quotes", '"{found}"', "Put keys in double quotes."
)
NOT_A_KEY = Complaint(
    "E101",
    "{found} stands where a key belongs",
    "a key in double quotes",
    'An object is {{"key": value, …}}.',
)
TWO_COMMAS = Complaint("E101", "a comma too many", "a key", "Remove one comma.")
KEY_ALONE = Complaint("E101", 'the key "{key}" has no value', '":" and a value')
NO_COLON = Complaint(
    "E101",
    '{found} stands where the ":" after the key "{key}" belongs',
    '":"',
    'A " inside a text must be written \\".',
)
NO_COMMA = Complaint(
    "E101",
    "a comma is missing before {found}",
    '"," or "{closing}"',
    'If a " before this place belongs to the text, write it \\".',
)
TEXT_GOES_ON = Complaint(
    "E101",
    "a string ended just before this place, yet the text goes on with {found}",
    '"," or "{closing}"',
    'A " inside a text must be written \\"; a JSON library does this for you.',
)
AFTER_VALUE = Complaint("E101", "{found} stands after a value", '"," or "{closing}"')
OTHER_BRACKET = Complaint("E101", "{found} closes what another bracket opened", '"," or "{closing}"')
TEXT_BEHIND = Complaint(
    "E101", "more text stands after the end of the value: {found}", "the end of the line", _DUMPS
)
TYPOGRAPHIC = Complaint(
    "E101", "{found} is a typographic quote", 'the straight quote "', "A word processor replaced the quotes."
)
ESCAPED_TWICE = Complaint(
    "E101",
    "the quotes of this line are escaped, as if it was written twice",
    '"',
    "Call json.dumps only once.",
)
REMARK = Complaint("E101", "{found} begins a remark, and JSON has none", None, "Remove the remark.")
INVISIBLE_OUTSIDE = Complaint(
    "E101",
    "the invisible character {found} stands outside the strings",
    "ordinary spaces at most",
    "Remove it; it often comes from copying out of a web page.",
)
SHORT_ESCAPE = Complaint(
    "E101",
    "\\u needs four hexadecimal digits after it",
    "an escape such as \\u00e9",
    "Write \\\\ for a backslash that belongs to the text.",
)
BAD_ESCAPE = Complaint(
    "E101",
    "{found} is no escape that JSON knows",
    '\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four digits',
    "Write \\\\ for a backslash that belongs to the text (LaTeX, Windows paths).",
)
MINUS_ALONE = Complaint("E101", "a minus sign without a number", "a number such as -1")
BAD_NUMBER = Complaint("E101", "{found} is not a JSON number", "a number", "Put text in double quotes.")
LEADING_ZERO = BAD_NUMBER._replace(hint='Write 7 for 07, or "07" if it is a name.')
BARE_POINT = BAD_NUMBER._replace(hint="Write a digit on both sides of the point: 0.5, 1.0.")
PYTHON = Complaint(
    "E105",
    "this is Python, not JSON: {what}",
    "double quotes, true, false, null",
    "Write lines with json.dumps(record), not with str(record) or print(record).",
)
TWICE = Complaint(
    "E106",
    'the key "{key}" occurs twice in one object (first at column {first})',
    "each key once",
    "Keep one of the two: programs disagree on which one counts.",
)
NOT_FINITE = Complaint(
    "E107",
    "{found} is not valid JSON",
    "a finite number, a string or null",
    "Empty cells of a data frame become NaN: fill them before writing the file.",
)
OVERFLOW = Complaint("E108", "the number {found} is too large to be held", "at most about 1.8e308")
HUGE_INTEGER = Complaint(
    "E109",
    "the whole number {found} with {digits} digits is too large to be exact everywhere",
    "at most 2^53 = 9007199254740992",
    "Many programs would round it. Write it as a string if it is a name.",
)
TOO_DEEP = Complaint(
    "E110",
    "brackets are nested more than {depth} deep",
    "at most {depth} levels",
    "Flatten the value: no field needs such depth.",
)
LONE_SURROGATE = Complaint(
    "E111",
    "{found} is half of a character (a lone surrogate), which is invalid Unicode",
    "both halves, or the character itself",
    "The text was cut in the middle of a character, often an emoji: cut it elsewhere.",
)
NUL = Complaint("E112", "a NUL character (U+0000)", "text without it", "Remove it.")
RAW_CONTROL = Complaint(
    "E114",
    "{name} ({found}) stands in a string as it is",
    "{escaped} inside strings",
    "Write it as {escaped}; a JSON library does this for you.",
)
CONTROL_OUTSIDE = Complaint(
    "E114", "the control character {found} stands outside the strings", None, "Remove it."
)
SECOND_OBJECT = Complaint(
    "E115",
    "a second object begins on the same line",
    "one object a line",
    "Start a new line here, without a comma.",
)
OPEN_STRING = Complaint(
    "E116",
    'the line ends inside the string that begins here: its closing " is missing',
    'a closing "',
    "Was the file cut off, or does the text hold a line break? Write a line break as \\n.",
)
ENDS_EARLY = Complaint(
    "E116",
    "the line ends too early",
    "{wanted}",
    "Was the file cut off, or one record spread over several lines?",
)
COMMA_BEHIND = Complaint(
    "E117",
    "a comma follows the object",
    "the end of the line",
    "Remove it: lines of a JSON Lines file are not joined by commas.",
)
TRAILING_COMMA = Complaint(
    "E117", "a comma stands before the closing {found}", "{found}", "Remove the comma after the last entry."
)
