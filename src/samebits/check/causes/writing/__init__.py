"""Writing what stands on a line in another way."""
