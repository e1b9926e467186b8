"""scikit-learn's view of the engine: tables in, labels and reasons out."""
