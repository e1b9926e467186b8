"""A verdict on every checkable sentence of the paper, in order, each with a check of its own."""
