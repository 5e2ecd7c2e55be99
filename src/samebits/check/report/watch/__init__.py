"""`samebits watch`: a run in a terminal, while it runs or afterwards."""
