"""How much to hold at once.  The analysis box is shared, so a small part of it has to do."""
import os

SHARE = 1 / 256
ROWS = 1_024


def free_bytes() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def rows_at_once(row_bytes: int) -> int:
    """Rows to work on in one go, where each takes row_bytes with all that is computed from it."""
    if ROWS * row_bytes > free_bytes():
        raise MemoryError(f"{ROWS} rows of {row_bytes} bytes do not fit into memory")
    return max(ROWS, int(free_bytes() * SHARE) // row_bytes)
