"""Gradient boosting of small trees on packed literals; its leaves become weighted atoms."""
