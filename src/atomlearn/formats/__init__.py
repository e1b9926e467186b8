"""Files: relations as text, models as a zip of JSON and plain arrays. One format a file."""
