"""What a person waits for before anything happens: `import samebits`, `samebits --help`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from reporting import main

TARGETS = {"import_ms": 50.0, "help_s": 0.4}


def measure(rounds: int = 15) -> dict[str, Any]:
    """Milliseconds that the import adds to an interpreter's start, and seconds of `--help`."""
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "import": [sys.executable, "-c", "import samebits"],
        "help": [str(Path(sys.executable).with_name("samebits")), "--help"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds[name].append(time.perf_counter() - started)
    bare, loaded, shown = (statistics.median(seconds[name]) for name in commands)
    probe = "import sys, samebits; print(int('torch' in sys.modules))"
    answer = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=True)
    return {
        "import_ms": (loaded - bare) * 1e3,
        "imports_torch": answer.stdout.strip() == b"1",
        "help_s": shown,
        "targets": TARGETS,
    }


if __name__ == "__main__":
    main(__doc__, measure)
