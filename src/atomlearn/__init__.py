"""Algebraic Machine Learning: rules and examples in, readable atoms out."""

__version__ = "0.1.0"
