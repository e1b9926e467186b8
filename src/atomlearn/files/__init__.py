"""Files of ours: written atomically, read with suspicion, one registry of kinds."""
