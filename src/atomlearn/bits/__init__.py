"""Sets as packed rows of ``uint64`` words. Nothing here knows of algebra."""
