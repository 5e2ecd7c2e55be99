"""What a training uses itself: seeds and switches, loading of data, checkpoints."""
