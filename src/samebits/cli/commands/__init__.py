"""The commands of `samebits`, one file each."""
