"""Agreement measures against scikit-learn and the krippendorff package, and by hand."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, f1_score

from scoring.agreement import (
    agreement,
    cohen_kappa,
    krippendorff_alpha,
    macro_f1,
    membership,
    raw_agreement,
)


def annotators_of(stream, annotators, units, labels, missing):
    """Labels (annotators, units), NaN where missing, which agree more often than chance."""
    truth = stream.integers(0, labels, units)
    noise = stream.integers(0, labels, (annotators, units))
    values = np.where(stream.random((annotators, units)) < 0.6, truth, noise).astype(float)
    values[stream.random((annotators, units)) < missing] = np.nan
    return values


def as_labels(row):
    return {place: None if np.isnan(value) else int(value) for place, value in enumerate(row)}


def test_pairs_equal_scikit_learn_on_200_random_cases():
    stream = np.random.default_rng(0)
    for _ in range(200):
        first, second = annotators_of(
            stream, 2, int(stream.integers(20, 120)), int(stream.integers(2, 6)), 0.2
        )
        both = ~np.isnan(first) & ~np.isnan(second)
        one, other = as_labels(first), as_labels(second)
        assert raw_agreement(one, other) == pytest.approx((first == second)[both].mean(), abs=1e-12)
        assert cohen_kappa(one, other) == pytest.approx(
            cohen_kappa_score(first[both], second[both]), abs=1e-12
        )
        judge = f1_score(first[both], second[both], average="macro")
        assert macro_f1(one, other) == pytest.approx(judge, abs=1e-12)


def test_alpha_equals_the_krippendorff_package_on_200_random_cases():
    stream = np.random.default_rng(1)
    for _ in range(200):
        values = annotators_of(
            stream, int(stream.integers(2, 6)), int(stream.integers(10, 80)), int(stream.integers(2, 6)), 0.3
        )
        judge = krippendorff.alpha(reliability_data=values, level_of_measurement="nominal")
        assert krippendorff_alpha(map(as_labels, values)) == pytest.approx(judge, abs=1e-12)


def test_krippendorff_s_own_example_with_missing_labels():
    """Krippendorff 2011, example C: four observers, twelve units, nominal α = .743."""
    rows = [
        (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
        (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
    ]
    found = agreement({name: dict(enumerate(row)) for name, row in zip("ABCD", rows, strict=True)})
    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert found.units == 11
    assert [(pair.first + pair.second, pair.n) for pair in found.pairs][:2] == [("AB", 9), ("AC", 8)]


def test_by_hand():
    one = {"a": "+1", "b": "0", "c": "0", "d": "+1", "only one": "0"}
    other = {"a": "+1", "b": "0", "c": "+1", "d": "+1"}
    assert raw_agreement(one, other) == 0.75
    assert cohen_kappa(one, other) == pytest.approx((0.75 - 0.5) / 0.5)
    assert macro_f1(one, other) == pytest.approx((4 / 5 + 2 / 3) / 2)


def test_sets_agree_on_members_somebody_named():
    labels = membership(
        {
            "one": {"i": ["減損損失", "資産"], "j": [], "k": None},
            "other": {"i": ["減損損失"], "j": ["売上"], "k": ["利益"]},
        }
    )
    assert labels["one"] == {("i", "減損損失"): True, ("i", "資産"): True, ("j", "売上"): False}
    assert labels["other"] == {
        ("i", "減損損失"): True,
        ("i", "資産"): False,
        ("j", "売上"): True,
        ("k", "利益"): True,
    }
    assert raw_agreement(labels["one"], labels["other"]) == pytest.approx(1 / 3)


def test_what_is_not_defined_is_none():
    nothing = agreement({"one": {"a": "x"}, "other": {"b": "x"}})
    assert (nothing.units, nothing.alpha) == (0, None)
    pair = nothing.pairs[0]
    assert (pair.n, pair.raw, pair.kappa, pair.macro_f1) == (0, None, None, None)
    constant = agreement({"one": {"a": "x", "b": "x"}, "other": {"a": "x", "b": "x"}})
    assert (constant.alpha, constant.pairs[0].kappa, constant.pairs[0].raw) == (None, None, 1)


LABELS = st.dictionaries(st.integers(0, 12), st.sampled_from(["a", "b", "c", None]), max_size=12)


@given(LABELS, LABELS)
def test_sides_may_be_swapped_and_one_at_most(one, other):
    for measure in (raw_agreement, cohen_kappa, macro_f1):
        assert measure(one, other) == measure(other, one)
    alpha = krippendorff_alpha([one, other])
    assert alpha == krippendorff_alpha([other, one])
    assert alpha is None or alpha <= 1


@given(LABELS)
def test_agreeing_with_oneself_is_perfect(labels):
    given_labels = {label for label in labels.values() if label is not None}
    expected = 1.0 if given_labels else None
    assert raw_agreement(labels, labels) == macro_f1(labels, labels) == expected
    judge = 1.0 if len(given_labels) > 1 else None
    assert cohen_kappa(labels, labels) == krippendorff_alpha([labels, labels]) == judge
