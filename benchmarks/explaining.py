"""What `--explain` takes for a tensor of 1 GiB: to keep it in a run, and to compare two of them.

Two files of one float32 tensor each are compared in a fresh process, once where a single element
differs by 1 ULP and once where every element does; its peak memory includes the interpreter.
Keeping is what a recorded process does at the operation: what counts there is how far its peak
rises above what it had with the tensor alone. The largest difference, which each verdict has, is
taken of two captured results in memory: their 2 GiB are in its peak.

    python benchmarks/explaining.py [--gib 1] [--json benchmarks/results/explaining.json]
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from own_process import TakenTable, measure_here, measured

COLUMNS = 4096
ELEMENTS_A_GIB = 2**28
TARGETS = {
    "one element differs": {"seconds": 10.0, "peak_gib": 1.0},
    "every element differs": {"seconds": 120.0, "peak_gib": 1.0},
    "the largest difference": {"seconds": 60.0, "peak_gib": 2.5},
    "keeping it": {"seconds": 20.0, "extra_gib": 0.1},
}


def write_tensor(file: Path, elements: int, changed: slice) -> None:
    """A float32 tensor of random bits below 1, with the last bit turned in a part of it."""
    shape = [elements // COLUMNS, COLUMNS]
    facts = {"0000": {"dtype": "F32", "shape": shape, "data_offsets": [0, 4 * elements]}}
    header = json.dumps(facts).encode()
    header += b" " * (-len(header) % 8)
    first, last, _ = changed.indices(elements)
    generator = np.random.default_rng(0)
    with file.open("wb") as out:
        out.write(len(header).to_bytes(8, "little") + header)
        for start in range(0, elements, 2**22):
            bits = generator.random(min(2**22, elements - start), np.float32).view(np.uint32)
            bits[max(first - start, 0) : max(last - start, 0)] ^= 1
            out.write(bits.tobytes())


def compare(a: Path, b: Path) -> dict[str, Any]:
    from samebits.check.diff.elements import differing_tensors

    (found,) = differing_tensors(a, b)
    return {"differing": found.differing, "max_ulp": found.max_ulp}


def largest(a: Path, b: Path) -> dict[str, Any]:
    from samebits.check.diff.distance import output_distance

    return {"max_ulp": output_distance(a.read_bytes(), b.read_bytes()).max_ulp}


def keep(folder: Path, elements: int) -> dict[str, Any]:
    import torch

    from samebits.check.record.capture import save_outputs

    tensor = torch.rand(elements // COLUMNS, COLUMNS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    save_outputs(tensor, [], folder / "kept.safetensors")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"extra_gib": (after - before) / 2**20}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gib", type=float, default=1.0)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--measure", nargs="*", default=None)
    args = parser.parse_args()
    if args.measure is not None:
        what, *rest = args.measure
        folder = Path(rest[0])
        if what == "keep":
            measure_here(lambda: keep(folder, int(rest[1])))
        else:
            work = compare if what == "compare" else largest
            measure_here(lambda: work(folder / "a", folder / "b"))
        return
    elements = int(args.gib * ELEMENTS_A_GIB)
    table = TakenTable("a tensor of", targets=TARGETS, gib=args.gib)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tensor(folder / "a", elements, slice(0, 0))
        place = elements * 2 // 3
        for case, changed in (
            ("one element differs", slice(place, place + 1)),
            ("every element differs", slice(0, elements)),
        ):
            write_tensor(folder / "b", elements, changed)
            table.add(case, measured(__file__, "compare", folder))
        table.add("the largest difference", measured(__file__, "largest", folder))
        (folder / "b").unlink()
        table.add("keeping it", measured(__file__, "keep", folder, str(elements)))
    if args.json is not None:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(table.results, indent=1) + "\n")


if __name__ == "__main__":
    main()
