"""Models in the browser: one self-contained page, or the same page with live learning."""

from atomlearn.explorer.page import explore

__all__ = ["explore"]
