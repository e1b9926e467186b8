"""``python -m atomlearn``: the same as the ``atomlearn`` command."""

from atomlearn.cli import main

if __name__ == "__main__":
    main()
