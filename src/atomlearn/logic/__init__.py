"""Formulas: what atoms say, as short and as readable as can be."""
