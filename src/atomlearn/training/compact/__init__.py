"""Compact models: a few rules with whole points, distilled from the full model.

A rule of a *card* is a conjunction, such as ``status = A11 and months > 12``: the rows that meet it
are those that miss an atom, here ``status ≠ A11 or months ≤ 12``. Each rule has points for each
class, whole numbers from -5 to 5 (``card``).

Cards learn from the full model, not from the labels (``lesson``). Rules are made of its atoms and
of single literals (``rules``), chosen one after the other (``search``), and measured on held-out
rows at several sizes (``sizes``).
"""
