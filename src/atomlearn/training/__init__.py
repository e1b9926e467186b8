"""Learning several classes: strict and weighted atoms, judged by held-out rows."""
