"""Constants, terms, relations, atoms and models: the exact algebra. It knows nothing of learning."""
