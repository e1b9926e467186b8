"""Tables on their way to the engine: columns become literals, rows become terms."""
