"""Reading a model: what its constants are, what it should be, how good it can be, how it looks."""
