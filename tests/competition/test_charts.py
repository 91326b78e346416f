"""Charts: coordinates by hand, findings in words, and SVG of nothing but numbers and escaped text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from competition.charts.bars import bars, dumbbells, spread
from competition.charts.confusion import confusion
from competition.charts.drawing import Drawing
from competition.charts.histogram import Histogram, histogram
from competition.charts.lines import slope
from competition.charts.profile import LEFT, SIDE, TOP, balance, profile
from competition.charts.quadrant import quadrant
from competition.views.drawings import of_shares, profile_keys

HOSTILE = '<script>alert("x")</script>'


def every_drawing() -> list[Drawing | Histogram]:
    drawn = [
        confusion([HOSTILE, "b"], [[3, 1], [0, 2]], ordered=True),
        slope([1, 5], [(HOSTILE, [0.25, 0.5]), ("b", [0.5, 0.5])], "HitRate"),
        bars([(HOSTILE, 0.5), ("b", 0.25)], HOSTILE, "about", percent=True),
        dumbbells([(HOSTILE, [("en", 0.5), ("el", 0.25)])], "finding", "about"),
        profile([(HOSTILE, 0.5, 0.25), ("b", 0.1, 0.9)]),
        quadrant(HOSTILE, {"recognised, complete": 3, "not recognised, complete": 1}),
        histogram([HOSTILE, "b"], [4, 0], "finding"),
    ]
    assert all(drawn)
    return [one for one in drawn if one is not None]


@pytest.mark.parametrize("drawing", every_drawing(), ids=lambda one: type(one).__name__)
def test_a_drawing_is_whole_xml_with_title_and_description_and_no_style(drawing: Drawing | Histogram) -> None:
    root = ElementTree.fromstring(drawing.svg)
    assert root.get("role") == "img"
    assert [child.tag for child in root[:2]] == ["title", "desc"]
    assert root[0].text == drawing.finding
    assert root[1].text
    allowed = {"svg", "title", "desc", "text", "line", "rect", "path", "circle"}
    assert {element.tag for element in root.iter()} <= allowed
    assert not any("style" in element.attrib for element in root.iter())
    assert "<script" not in drawing.svg


def test_the_band_of_a_confusion_counts_near_errors() -> None:
    drawing = confusion(["+1", "0", "-1"], [[3, 1, 1], [0, 4, 0], [0, 2, 5]], ordered=True)
    assert drawing is not None
    assert drawing.finding == "12 of 16 answers are right; 3 of 4 errors are one step away"
    assert (
        sum(shape.attributes["class"] == "cell near" for shape in drawing.shapes if shape.tag == "rect") == 7
    )


def test_a_confusion_without_order_names_the_commonest_error() -> None:
    drawing = confusion(["up", "down"], [[3, 2], [1, 4]], ordered=False)
    assert drawing is not None
    assert drawing.finding == "7 of 10 answers are right; the commonest error takes up for down, 2 times"
    assert confusion(["up", "down"], [[0, 0], [0, 0]], ordered=False) is None
    assert confusion([str(n) for n in range(20)], [[1] * 20] * 20, ordered=False) is None, "too many to read"
    perfect = confusion(["up", "down"], [[3, 0], [0, 4]], ordered=True)
    assert perfect is not None
    assert perfect.finding == "All 7 answers are right"


def test_long_labels_stand_at_their_rows_and_columns_are_numbered() -> None:
    drawing = confusion(["instant-debit", "instant-credit"], [[1, 2], [3, 4]], ordered=False)
    assert drawing is not None
    texts = [shape.text for shape in drawing.shapes if shape.tag == "text"]
    assert texts[:2] == ["instant-debit 1", "1"]


def test_a_slope_says_its_gain() -> None:
    drawing = slope([1, 5, 10], [("HitRate", [0.2, 0.4, 0.5])], "HitRate")
    assert drawing is not None
    assert drawing.finding == "HitRate goes from 20.00 at 1 to 50.00 at 10, 30.00 points"
    assert slope([1], [("HitRate", [0.2])], "HitRate") is None


def test_a_profile_puts_precision_up_and_recall_across() -> None:
    drawing = profile([("all", 1.0, 0.5)])
    assert drawing is not None
    (mark,) = [shape for shape in drawing.shapes if str(shape.attributes.get("class", "")).startswith("mark")]
    assert (mark.attributes["cx"], mark.attributes["cy"]) == (LEFT + SIDE / 2, TOP)
    assert balance("all", 0.5, 0.51).startswith("all: precision and recall are level")
    assert balance("all", 0.9, 0.5) == "all: more precise than complete (precision 90.00, recall 50.00)"
    assert profile([]) is None


def test_on_an_iso_line_f1_is_what_it_says() -> None:
    drawing = profile([("all", 1.0, 0.5)])
    assert drawing is not None
    curve = next(shape for shape in drawing.shapes if shape.attributes.get("class") == "iso")
    points = re.findall(r"([\d.]+) ([\d.]+)", str(curve.attributes["d"]))
    for x, y in points:
        recall, precision = (float(x) - LEFT) / SIDE, 1 - (float(y) - TOP) / SIDE
        assert 2 * precision * recall / (precision + recall) == pytest.approx(0.2, abs=0.005)


def test_bars_say_where_a_score_is_high_and_low() -> None:
    assert spread([("a", 0.5), ("b", 0.75)], "F1") == "F1 is highest for b (75.00), lowest for a (50.00)"
    assert spread([("a", 0.5), ("b", 0.5)], "F1") == "F1 is 50.00 everywhere"
    assert bars([], "", "", percent=True) is None


def test_areas_of_a_quadrant_are_its_counts() -> None:
    counts = {"recognised, complete": 16, "recognised, not complete": 4, "not recognised, complete": 0}
    drawing = quadrant("Ada", counts)
    assert drawing.finding == "Ada: 4 of 20 recognised groups miss a fact"
    sides = [float(str(shape.attributes["width"])) for shape in drawing.shapes if shape.tag == "rect"]
    assert sides[0] ** 2 / sides[1] ** 2 == pytest.approx(4, rel=0.02)
    assert quadrant("Nobody", {}).finding == "Nobody: 0 of 0 recognised groups miss a fact"


def test_long_names_lie_down() -> None:
    short, long = ([["A", 3, 0.3], ["B", 7, 0.7]], [["us-gaap:Revenues", 3, 0.3], ["us-gaap:Assets", 7, 0.7]])
    assert isinstance(of_shares("Answers", short, 1), Histogram)
    assert isinstance(of_shares("Answers", long, 1), Drawing)


def test_precision_finds_its_recall() -> None:
    assert profile_keys(["f1", "precision", "recall"]) == ("precision", "recall")
    assert profile_keys(["macro_f1", "macro_precision", "macro_recall"]) == (
        "macro_precision",
        "macro_recall",
    )
    assert profile_keys(["accuracy"]) is None
