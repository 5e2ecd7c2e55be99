"""The threads of a recorded process: each that computes with torch has a run folder of its own."""
