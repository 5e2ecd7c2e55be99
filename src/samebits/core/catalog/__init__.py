"""Facts about torch's operations that no torch API states."""
