"""``python -m tests.fuzz``, from the root of the repository."""

from tests.fuzz.running import main

main()
