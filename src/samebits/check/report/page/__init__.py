"""A verdict as one HTML page that opens from disk, without a network."""
