"""How much of the stream may be held at once."""
import re
from pathlib import Path

SHARE = 0.005           # of the available memory; the loggers' host runs other services
COPIES = 4              # values, gradients and two moments of work space


def available_bytes():
    text = Path("/proc/meminfo").read_text()
    return 1024 * int(re.search(r"MemAvailable:\s+(\d+)", text)[1])


def rows_that_fit(net):
    """Readings that can be trained on within our share of the memory."""
    per_row = 4 * COPIES * sum(layer.out_features for layer in net.linear_layers())
    return int(SHARE * available_bytes()) // per_row
