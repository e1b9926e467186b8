"""Model files: written atomically, validated when read, with one registry of kinds."""
