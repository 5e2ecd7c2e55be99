"""Long tables are worked through in pieces, so that the features never exist as a whole."""
import logging
import os

log = logging.getLogger(__name__)
PIECE = 8192


def _available():
    try:
        with open("/proc/meminfo") as f:
            fields = dict(line.split(":", 1) for line in f)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def rows_that_fit(row_bytes, share=1 / 1000):
    return max(int(_available() * share) // row_bytes, 1000)


def pieces(n, row_bytes):
    size = PIECE
    if rows_that_fit(row_bytes) < size:
        log.warning("pid %d: pieces of %d rows may not fit in memory", os.getpid(), size)
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))
