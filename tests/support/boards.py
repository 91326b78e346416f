"""Contents of frozen boards, without the runs behind them."""

from __future__ import annotations

from typing import Any


def snapshot(**more: Any) -> dict[str, Any]:
    """A small snapshot in the form `domain/snapshots.py` writes."""
    lines = [
        {
            "rank": rank,
            "team": name,
            "team_id": f"id-{name}",
            "affiliation": "",
            "run_name": "",
            "received_at": "2026-05-26T10:00:00.000000Z",
            "scores": {"rouge1_f1": f1},
            "interval": [f1 - 0.05, f1 + 0.05],
            "rank_interval": [1, 3],
            "groups": groups,
        }
        for rank, name, f1, groups in ((1, "Uno", 0.6, "a"), (2, "Dos", 0.59, "ab"), (3, "Tres", 0.5, "b"))
    ]
    return {
        "track": {"name": "Answers"},
        "phase": {"name": "Test"},
        "rule": "The last valid run of each team counts.",
        "scores": [{"key": "rouge1_f1", "title": "ROUGE-1 F1", "symbol": "F1", "higher_is_better": True}],
        "items": {"version": 1, "digest": "1" * 64},
        "gold": {"version": 2, "commitment": "2" * 64, "n_scored": 152},
        "analysis": {"about": "32 groups of items", "notes": [], "reason": ""},
        "signature": "short_answer.1|m:rouge1_f1|gold:v2|n:152",
        "entries": lines,
        "unranked": [],
        "baselines": [],
        "exclusions": [{"team": "Nemo", "team_id": "x", "run_number": 3, "reason": "Withdrawn."}],
        **more,
    }
