"""Podium's Django app: people, deadlines, submissions, boards and who may see them."""
