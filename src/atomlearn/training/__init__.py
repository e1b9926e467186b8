"""Learning of several classes: strict and weighted atoms, evaluated on held-out rows."""
