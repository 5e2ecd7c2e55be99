"""Watching a run: the recorder, source sites, what a step did, and the launcher."""
