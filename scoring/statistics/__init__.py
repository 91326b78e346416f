"""Uncertainty of scores: resampling, paired comparisons, rank intervals. The only room that needs numpy."""

from __future__ import annotations

from scoring.statistics.board import BoardAnalysis, TeamAnalysis, analyse

__all__ = ["BoardAnalysis", "TeamAnalysis", "analyse"]
