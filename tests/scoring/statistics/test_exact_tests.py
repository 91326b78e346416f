"""McNemar, Holm and the tails against statsmodels and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as judge_mcnemar
from statsmodels.stats.multitest import multipletests

from scoring.statistics.holm import holm
from scoring.statistics.mcnemar import EXACT_UP_TO, exact_p, mcnemar
from scoring.statistics.tails import LEAST, normal_two_sided, student_two_sided, two_sided


def test_mcnemar_equals_statsmodels_on_random_tables():
    stream = np.random.default_rng(1)
    for _ in range(200):
        n = int(stream.integers(1, 400))
        a, b = stream.random((2, n)) < stream.random((2, 1))
        found = mcnemar(zip(a.tolist(), b.tolist(), strict=True))
        table = [[int((a & b).sum()), int((a & ~b).sum())], [int((~a & b).sum()), int((~a & ~b).sum())]]
        assert (found.only_a, found.only_b) == (table[0][1], table[1][0])
        assert found.p == pytest.approx(judge_mcnemar(table, exact=True).pvalue, abs=1e-12)


def test_mcnemar_by_hand():
    assert exact_p(0, 0) == 1.0
    assert exact_p(0, 5) == 2 / 32
    assert exact_p(1, 6) == 2 * (1 + 7) / 128
    assert exact_p(3, 3) == exact_p(3, 4) == 1.0


@pytest.mark.parametrize(
    ("least", "n"), [(0, 1_001), (480, 1_001), (29_000, 60_000), (1_490, 3_001), (30_000, 60_001)]
)
def test_many_discordant_items(least, n):
    assert n > EXACT_UP_TO
    assert exact_p(least, n - least) == pytest.approx(stats.binomtest(least, n).pvalue, rel=1e-9, abs=1e-12)


def test_mcnemar_is_the_same_seen_from_either_side():
    assert exact_p(2, 11) == exact_p(11, 2)


def test_holm_equals_statsmodels_on_200_random_cases(monkeypatch):
    # multipletests collects garbage each time, a sixth of a second here.
    monkeypatch.setattr("gc.collect", lambda: 0)
    stream = np.random.default_rng(2)
    for _ in range(200):
        p = stream.random(int(stream.integers(1, 80))) ** float(stream.uniform(0.5, 6))
        p[stream.random(len(p)) < 0.2] = p[0]
        assert holm(p) == pytest.approx(multipletests(p, method="holm")[1].tolist(), abs=1e-15)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@pytest.mark.parametrize("freedom", [1, 2, 9, 31, 199, 200, 5_000])
@pytest.mark.parametrize("t", [0.0, 0.3, 1.96, 4.0, 9.0])
def test_student_tail_equals_scipy(freedom, t):
    judge = 2 * stats.t.sf(t, freedom) if freedom < 200 else 2 * stats.norm.sf(t)
    assert student_two_sided(t, freedom) == pytest.approx(judge, rel=1e-7, abs=1e-13)
    assert student_two_sided(-t, freedom) == student_two_sided(t, freedom)


def test_p_counts_where_counts_suffice_and_reads_the_tail_where_they_do_not():
    extreme, error = np.array([99, 10, 9, 0, 0, 50]), np.full(6, 0.1)
    observed = np.array([0.1, 0.2, 0.2, 0.6, 0.2, 0.0])
    p = two_sided(extreme, 9_999, observed, error, 10)
    assert p[:2].tolist() == [0.01, 0.0011]
    assert p[2] == p[4] == 0.0011  # the tail says .0455, the counts know better
    assert p[3] == pytest.approx(normal_two_sided(6))
    assert p[5] == 1.0
    assert two_sided(np.array([0]), 999, np.array([0.5]), np.zeros(1), 10)[0] == LEAST
