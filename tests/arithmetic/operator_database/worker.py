"""One process that computes samples with the capability that its environment names.

It reads requests from standard input and writes an answer to each, as lines of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import torch
from tests.arithmetic.operator_database.entries import database, dtypes_of, samples
from tests.arithmetic.operator_database.inputs import Inputs
from tests.arithmetic.operator_database.judgement import judged


def answer(request: dict[str, Any]) -> Any:
    """Write the inputs of an entry's samples to a file, or read them there and compute."""
    entry, dtype = database()[request["entry"]], request["dtype"]
    chosen = samples(entry, dtype)
    inputs = [Inputs(sample) for sample in chosen]
    structure = [one.structure() for one in inputs]
    path = Path(request["file"])
    if request["do"] == "write":
        path.write_bytes(b"".join(one.to_bytes() for one in inputs))
        return structure
    rest = memoryview(path.read_bytes())
    for one in inputs:
        rest = rest[one.take(rest) :]
    if rest or structure != request["structure"]:
        raise AssertionError(f"{request['entry']}: the samples are not those that were written")
    return judged(entry, chosen, inputs)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what torch prints is no answer
    torch.set_num_threads(1)
    dtypes = {name: dtypes_of(entry) for name, entry in database().items()}
    capability = torch.backends.cpu.get_cpu_capability()
    print(json.dumps({"capability": capability, "dtypes": dtypes}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
