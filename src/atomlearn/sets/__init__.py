"""Sets of small integers as bits: packed rows, index lists, closure, random draws."""
