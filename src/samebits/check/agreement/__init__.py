"""Agreement inside one run: what its ranks should share and do not, and the other way round."""
