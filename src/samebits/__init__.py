"""Same code, same seed, same bits: makes PyTorch runs reproducible and proves that they are."""
