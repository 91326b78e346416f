"""Which run stands for a team."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from competition.domain.selection import Attempt, official_submission


def attempts(
    *values: float | None, failed: tuple[int, ...] = (), withdrawn: tuple[int, ...] = ()
) -> list[Attempt[str]]:
    return [
        Attempt(number, f"run {number}", value, failed=number in failed, withdrawn=number in withdrawn)
        for number, value in enumerate(values, start=1)
    ]


def test_last_means_last_even_when_worse():
    assert official_submission(attempts(0.31, 0.29), counts="last").run == "run 2"


def test_best_means_best_even_when_not_last():
    assert official_submission(attempts(0.5080, 0.4923), counts="best").run == "run 1"


def test_the_first_of_equal_bests_counts():
    selection = official_submission(attempts(0.3, 0.5, 0.5), counts="best")
    assert selection.run == "run 2"
    assert selection.reason == "Counts: run 2, the first of those with the best score."


def test_withdrawn_and_failed_runs_never_stand():
    runs = attempts(0.2, None, 0.9, failed=(2,), withdrawn=(3,))
    assert {official_submission(runs, counts=rule).run for rule in ("last", "best", "chosen")} == {"run 1"}
    assert official_submission(runs, counts="chosen", chosen=3).run == "run 1"


def test_a_waiting_run_is_the_last_valid_one_but_no_best_one():
    runs = attempts(0.2, None)
    assert official_submission(runs, counts="last").run == "run 2"
    assert official_submission(runs, counts="best").run == "run 1"


def test_the_chosen_run_stands_and_without_a_choice_the_last():
    assert official_submission(attempts(0.1, 0.2), counts="chosen", chosen=1).run == "run 1"
    assert official_submission(attempts(0.1, 0.2), counts="chosen").run == "run 2"


def test_hidden_scores_never_name_the_best_run():
    hidden = official_submission(attempts(0.5, 0.4), counts="best", scores_visible=False)
    assert hidden.attempt is None
    turned = official_submission(attempts(0.4, 0.5), counts="best", scores_visible=False)
    assert hidden == turned


def test_nothing_sent_nothing_counts():
    assert official_submission([], counts="last").attempt is None


def test_lower_can_be_better():
    assert official_submission(attempts(0.5, 0.4), counts="best", higher_is_better=False).run == "run 2"


runs = st.lists(
    st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.booleans(), st.booleans()), max_size=8
).map(lambda rows: [Attempt(n, n, value, failed, gone) for n, (value, failed, gone) in enumerate(rows, 1)])


@given(runs, st.sampled_from(["last", "best", "chosen"]), st.integers(1, 8), st.randoms())
def test_what_counts_stands_and_order_is_irrelevant(rows, rule, chosen, random):
    selection = official_submission(rows, counts=rule, chosen=chosen)
    assert selection.attempt is None or selection.attempt.stands
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert official_submission(shuffled, counts=rule, chosen=chosen) == selection
