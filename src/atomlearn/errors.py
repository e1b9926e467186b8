"""What can go wrong, each with a name of its own. All derive from :class:`AtomlearnError`."""


class AtomlearnError(Exception):
    """The base of every exception atomlearn raises on purpose."""
