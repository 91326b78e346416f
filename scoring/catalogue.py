"""Every code a problem can carry: what it means, and a wrong and a right example.

A code never changes its meaning; a test holds the list. Groups: E0 bytes, E1 syntax, E2 ids, E3 fields and
types, E4 values, E6 organizers' files, W5 warnings, I9 information.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """What a code means. `wrong` and `right` are example lines; "(…)" where a line cannot show it."""

    code: str
    title: str
    explanation: str
    wrong: str
    right: str


# Each rule: code and title, the explanation, lines with "- " (wrong) and "+ " (right).
_RULES = r"""
E001 Empty file
Nothing is in the file, or only blank lines. A run needs one line for each item.
- (an empty file)
+ {"id": "q1", "answer": "12 percent"}

E002 File too large
The file has more bytes than this track takes. Runs of a few megabytes are usual; a larger one often
holds prompts or traces.
- (a file of 60 MB)
+ (the same answers without prompts and traces)

E003 UTF-16 or UTF-32
The file was saved in another Unicode encoding. Windows programs and PowerShell redirection like to do
that. Save it as UTF-8.
- (a file that begins with the bytes FF FE)
+ (the same file saved as UTF-8)

E004 Invalid UTF-8
Some bytes of the line are no UTF-8 text. We never replace them, since that would change the answer that
is scored.
- (é saved as the single byte E9, as in Latin-1)
+ (é saved as the two bytes C3 A9)

E005 ZIP archive
The file is packed. Unpack it and send the file inside; .xlsx and .docx files are ZIP archives too.
- (run.zip, or run.zip renamed to run.jsonl)
+ (run.jsonl)

E006 gzip file
The file is packed. Unpack it (gunzip) and send the file inside.
- (run.jsonl.gz)
+ (run.jsonl)

E007 Not a text file
The file is a picture, a PDF, a table in a binary format or something else that is not text.
- (figure.png)
+ (run.jsonl)

E008 Lone carriage return
Lines end with LF or CRLF. A carriage return alone, as on very old Macs, joins all records into one line.
- (records separated by CR)
+ (records separated by LF or CRLF)

E009 Line too long
One line has more bytes than allowed. Either all records stand on one line, or a text repeated without end.
- (a line of 2 MB)
+ {"id": "q1", "answer": "12 percent"}

E010 Too many lines
The file has more lines than any run of this track could need.
- (300,000 lines)
+ (one line for each item)

E011 Byte order mark inside the file
An invisible mark (U+FEFF) that belongs at the start of a file stands further inside, because two files
were joined.
- (the second of two joined files begins with U+FEFF)
+ (the files saved without the mark, then joined)

E101 Not valid JSON
The line breaks a rule of JSON. The message names the column and what stands there.
- {"id": "q1" "answer": "12 percent"}
+ {"id": "q1", "answer": "12 percent"}

E102 JSON array
The records are wrapped in one list. JSON Lines has one object on each line, without brackets around and
commas between.
- [{"id": "q1", "answer": "up"}, {"id": "q2", "answer": "down"}]
+ {"id": "q1", "answer": "up"}
+ {"id": "q2", "answer": "down"}

E103 Pretty-printed
Each record spreads over several lines. Put every record on a line of its own.
- {
-   "id": "q1",
-   "answer": "up"
- }
+ {"id": "q1", "answer": "up"}

E104 Markdown fence
A line with ``` was copied along with a model's output. Remove it.
- ```json
- {"id": "q1", "answer": "up"}
- ```
+ {"id": "q1", "answer": "up"}

E105 Python instead of JSON
The line was written with str() or print(): single quotes, True, False, None. Use json.dumps.
- {'id': 'q1', 'answer': None}
+ {"id": "q1", "answer": "none"}

E106 Duplicate key
A key occurs twice in one object. Programs disagree on which value counts, so we take neither.
- {"id": "q1", "answer": "up", "answer": "down"}
+ {"id": "q1", "answer": "up"}

E107 NaN or infinity
JSON has no NaN and no Infinity. They mostly come from empty cells of a data frame.
- {"id": "q1", "answer": NaN}
+ {"id": "q1", "answer": "not stated"}

E108 Number too large
The number is beyond what a 64-bit float holds and would become infinite.
- {"id": "q1", "answer": "up", "confidence": 1e999}
+ {"id": "q1", "answer": "up", "confidence": 0.9}

E109 Whole number too large
Beyond 2^53 many programs round whole numbers. Write such a number as a string.
- {"id": "q1", "answer": "up", "seed": 9007199254740993}
+ {"id": "q1", "answer": "up", "seed": "9007199254740993"}

E110 Nested too deep
Lists and objects may stand inside each other 32 levels deep. No field needs that much.
- {"id": "q1", "answer": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["up"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}
+ {"id": "q1", "answer": "up"}

E111 Half a character
An escape such as \ud83d is one half of a character beyond U+FFFF. Alone it is no valid text.
- {"id": "q1", "answer": "profit \ud83d"}
+ {"id": "q1", "answer": "profit \ud83d\ude80"}

E112 NUL character
The character U+0000 cannot be stored as text by many systems, and no answer needs it.
- {"id": "q1", "answer": "up\u0000"}
+ {"id": "q1", "answer": "up"}

E113 Line without an object
The line is valid JSON, but a string, number or list. Each line needs an object with named fields.
- "up"
+ {"id": "q1", "answer": "up"}

E114 Raw control character
Tabs and other control characters must be escaped inside strings.
- (a tab typed between the words of an answer)
+ {"id": "q1", "answer": "up\tby 12 percent"}

E115 Two objects on a line
A line break is missing between two records.
- {"id": "q1", "answer": "up"}{"id": "q2", "answer": "down"}
+ {"id": "q1", "answer": "up"}
+ {"id": "q2", "answer": "down"}

E116 Line ends too early
The line stops inside a string or before the last bracket. The file was cut off, or a text holds a raw
line break.
- {"id": "q1", "answer": "up by
+ {"id": "q1", "answer": "up by\n12 percent"}

E117 Trailing comma
A comma stands before a closing bracket or at the end of the line.
- {"id": "q1", "answer": "up",}
+ {"id": "q1", "answer": "up"}

E201 No id
The line does not say which item it answers.
- {"answer": "up"}
+ {"id": "q1", "answer": "up"}

E202 Id is not a string
Ids are strings and are compared exactly, even when they look like numbers.
- {"id": 101, "answer": "up"}
+ {"id": "101", "answer": "up"}

E203 White space around an id
The id begins or ends with white space, so it is not the id of the items.
- {"id": " q1", "answer": "up"}
+ {"id": "q1", "answer": "up"}

E204 Invisible characters in an id
The id looks right but holds a character that cannot be seen. Problems spell it out.
- {"id": "q1\u200b", "answer": "up"}
+ {"id": "q1", "answer": "up"}

E205 Id in other case
The id differs from an item's id in upper and lower case only. Write it exactly as in the items.
- {"id": "Q1", "answer": "up"}
+ {"id": "q1", "answer": "up"}

E206 Id in another Unicode form
The id has the same look as an item's id but other code points. Copy ids; do not normalise them.
- {"id": "\uff51\uff11", "answer": "up"}
+ {"id": "q1", "answer": "up"}

E207 Unknown id
No item of this phase has this id. Often the wrong split was predicted.
- {"id": "q999", "answer": "up"}
+ {"id": "q1", "answer": "up"}

E208 Duplicate id
Two lines answer the same item. We take neither the first nor the last: keep one.
- {"id": "q1", "answer": "up"}
- {"id": "q1", "answer": "down"}
+ {"id": "q1", "answer": "up"}

E209 Missing item
An item has no line. A run answers every item; scores are means over all of them.
- (no line for q2)
+ {"id": "q2", "answer": "down"}

E210 Wrong phase or track
None of the ids belongs to this phase. The file was probably meant for another phase or track.
- (a run of the development phase, sent to the test phase)
+ (a run with the ids of this phase)

E301 Field missing
A field that every line needs is not there, or has another name.
- {"id": "q1", "prediction": "up"}
+ {"id": "q1", "answer": "up"}

E302 Wrong type
The field holds another type of JSON value than it should. true is not a number, null is not a text.
- {"id": "q1", "answer": null}
+ {"id": "q1", "answer": "up"}

E303 Empty text
The text is empty or holds only white space.
- {"id": "q1", "answer": " "}
+ {"id": "q1", "answer": "not stated"}

E304 Wrapper object
The value was left inside the object that a model was asked to return.
- {"id": "n1", "facts": {"result": [{"Fact": "4.9", "Type": "percentItemType"}]}}
+ {"id": "n1", "facts": [{"Fact": "4.9", "Type": "percentItemType"}]}

E305 JSON inside a string
The value is a string that holds JSON, perhaps with a Markdown fence. Parse the model's output first.
- {"id": "n1", "facts": "[{\"Fact\": \"4.9\", \"Type\": \"percentItemType\"}]"}
+ {"id": "n1", "facts": [{"Fact": "4.9", "Type": "percentItemType"}]}

E306 Answer and "invalid" together
A line either answers the item or says why there is no answer.
- {"id": "m1", "label": "+1", "invalid": "refused"}
+ {"id": "m1", "invalid": "refused"}

E307 Empty list
A list needs at least one entry here.
- {"id": "t1", "terms": [[]]}
+ {"id": "t1", "terms": [["impairment loss"]]}

E401 Not in the closed list
The value is not one of those allowed. They are compared exactly, case and spaces included.
- {"id": "n1", "facts": [{"Fact": "4.9", "Type": "percent"}]}
+ {"id": "n1", "facts": [{"Fact": "4.9", "Type": "percentItemType"}]}

E402 Option not offered
The item does not offer this option. Give the letter alone, without a dot or brackets.
- {"id": "c1", "prediction": "(B)"}
+ {"id": "c1", "prediction": "B"}

E403 Text too long
The text has more characters than an answer may have.
- (an answer of 30,000 characters)
+ {"id": "q1", "answer": "up"}

E404 Text too long once normalised
Compatibility characters unfold when text is normalised (NFKC), one of them into 18. The unfolded text
is too long.
- (an answer that repeats U+FDFA 20,000 times)
+ {"id": "q1", "answer": "up"}

E405 Too many combining marks
So many combining marks in a row occur in no language; they make normalising text very slow.
- (a letter with 1,000 accents)
+ {"id": "q1", "answer": "café"}

E406 Not in this item
The number or excerpt named here does not occur in the item.
- {"id": "s1", "facts": [3, 99]}
+ {"id": "s1", "facts": [3, 7]}

E407 Given twice
The same number was answered twice in one line.
- {"id": "f1", "facts": [{"number": 1, "type": "shares"}, {"number": 1, "type": "none"}]}
+ {"id": "f1", "facts": [{"number": 1, "type": "shares"}]}

E408 Concept in another form
The concept lacks its prefix or differs in case from a name of the taxonomy.
- {"id": "l1", "concept": "Revenues"}
+ {"id": "l1", "concept": "us-gaap:Revenues"}

E409 As many labels as tokens
The list must have one entry for each token of the item.
- (3 labels for an item of 4 tokens)
+ {"id": "b1", "labels": ["O", "B-us-gaap:Revenues", "O", "O"]}

E410 Period and balance needed
A monetary fact needs its period (instant or duration) and its balance (debit or credit).
- {"id": "f1", "facts": [{"number": 1, "type": "monetary"}]}
+ {"id": "f1", "facts": [{"number": 1, "type": "monetary", "period": "instant", "balance": "debit"}]}

E411 Unknown reason
"invalid" is one of request_failed, budget_exhausted, refused, format.
- {"id": "m1", "invalid": "timeout"}
+ {"id": "m1", "invalid": "request_failed"}

E412 "invalid" is not taken here
In this track every item needs an answer; a system without one answers in words.
- {"id": "q1", "invalid": "refused"}
+ {"id": "q1", "answer": "none"}

E601 Gold for an unknown item
A gold record names an item that is not among the items. Upload the items first, or correct the id.
- {"id": "q999", "answer": "up"}
+ {"id": "q1", "answer": "up"}

E602 Item without gold
An item has neither a reference nor an exclusion. Void an item with "excluded" and a reason.
- (no gold record for q2)
+ {"id": "q2", "excluded": true, "reason": "The report was withdrawn."}

E603 Faulty record
A record of the organizers breaks a rule of the track's kind. The message says which.
- {"id": "q2", "excluded": true}
+ {"id": "q2", "excluded": true, "reason": "The report was withdrawn."}

E604 Duplicate id in an organizers' file
Two records of items or gold have the same id.
- {"id": "q1", "answer": "up"}
- {"id": "q1", "answer": "down"}
+ {"id": "q1", "answer": "up"}

E605 File cannot be read
A file named on the command line is not there, or may not be opened.
- (a misspelt file name)
+ (the name of a file that exists)

E606 Argument that does not fit
A kind, a setting or a file to write, named on the command line, will not do. The message says why.
- (a tokenizer that there is not)
+ (a tokenizer of the kind)

W501 Unknown field
The field is not part of this track. It is kept out of scoring; perhaps a name is misspelt.
- {"id": "q1", "answer": "up", "thoughts": "Revenue rose."}
+ {"id": "q1", "answer": "up"}

W502 Over 100 words
The guideline asks for at most 100 words, counted at white space. The answer is scored whole; nothing is cut.
- (an answer of 140 words)
+ {"id": "q1", "answer": "Revenue rose by 12 percent."}

W503 Invisible characters in an answer
The answer holds characters that cannot be seen, such as a zero-width space. They may split or join words.
- {"id": "q1", "answer": "up\u200bby 12"}
+ {"id": "q1", "answer": "up by 12"}

W504 Repeated entry
An entry occurs more than once. It counts once, at its first place.
- {"id": "r1", "ranking": ["cash", "debt", "cash"]}
+ {"id": "r1", "ranking": ["cash", "debt"]}

W505 Empty list
The list is empty. That is allowed and counts as no answer.
- {"id": "r1", "ranking": []}
+ {"id": "r1", "ranking": ["cash"]}

W506 Concept not in the taxonomy
No concept of the taxonomy has this name, so it counts as wrong.
- {"id": "l1", "concept": "us-gaap:MoneyMade"}
+ {"id": "l1", "concept": "us-gaap:Revenues"}

W507 Punctuation in a fact
Facts are compared exactly, and references hold digits without thousands commas, currency, percent signs
or brackets.
- {"id": "n1", "facts": [{"Fact": "$1,200", "Type": "monetaryItemType"}]}
+ {"id": "n1", "facts": [{"Fact": "1200", "Type": "monetaryItemType"}]}

W508 I- without B-
A label that continues a span has no label before it that begins one. It is counted as it is.
- {"id": "b1", "labels": ["O", "I-us-gaap:Revenues"]}
+ {"id": "b1", "labels": ["O", "B-us-gaap:Revenues"]}

I901 Byte order mark ignored
The file began with an invisible mark that Windows editors write. It was left out; nothing is wrong.
- (a file that begins with the bytes EF BB BF)
+ (the same file without them)

I902 Blank lines skipped
Blank lines carry no record. They count in line numbers and are otherwise ignored.
- (a blank line between two records)
+ (records on consecutive lines)

I903 Excluded items
Some items are voided by an erratum. They must still be answered and are not scored.
- (nothing is wrong)
+ {"id": "q2", "excluded": true, "reason": "The report was withdrawn."}
"""


def _read_rule(block: str) -> Rule:
    heading, *lines = block.split("\n")
    code, title = heading.split(" ", 1)
    wrong = [line[2:] for line in lines if line.startswith("- ")]
    right = [line[2:] for line in lines if line.startswith("+ ")]
    said = [line for line in lines if not line.startswith(("- ", "+ "))]
    return Rule(code, title, " ".join(said), "\n".join(wrong), "\n".join(right))


CODES: dict[str, Rule] = {rule.code: rule for rule in map(_read_rule, _RULES.strip().split("\n\n"))}
"""Every code in order."""
