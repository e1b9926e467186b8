"""Formal problems: rules in, solutions out.

Each module states a problem as relations on an :class:`~atomlearn.Algebra`, and reads solutions
off the models that are learned. ``algebra(...)`` gives the relations, ``solve(...)`` the solutions,
each checked by plain Python that knows nothing of algebra. Nothing here knows how learning works,
and nothing in the engine knows of these problems.
"""
