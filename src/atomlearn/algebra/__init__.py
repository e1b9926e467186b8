"""Constants, terms, relations, atoms and models, exactly. Nothing here knows of learning."""
