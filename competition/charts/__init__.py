"""Charts as numbers: each function turns values into coordinates, a template draws them as inline SVG.

Attributes and classes only, never inline style: the content policy holds.
"""
