"""How much may be kept in memory. The instrument's computer has little of it."""

import resource

MIB = 1 << 20
RESERVED = 640 * MIB        # the interpreter, its libraries, the model


def in_use():
    """Bytes that this process has needed so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def rows_that_fit(allowance, share, row_bytes, least=1000):
    """The number of rows that may be kept, with a share of what the allowance leaves."""
    free = allowance * MIB - RESERVED
    return max(int(free * share) // row_bytes, least)
