"""The example of several ranks: same as it is, and told with its line where one line is broken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "ddp.py"
RANKS = ("-m", "torch.distributed.run", "--nproc-per-node", "2")


def check(script: Path, folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Run `samebits check` on the ranks of a script, and return its exit code and verdict file."""
    verdict = folder / "verdict.json"
    command = [sys.executable, "-m", "samebits", "check", "--quiet", "--json", str(verdict)]
    done = subprocess.run(
        [*command, *options, *RANKS, str(script)], cwd=folder, capture_output=True, check=False
    )
    return done.returncode, json.loads(verdict.read_text())


def test_it_repeats_in_every_rank(tmp_path):
    code, verdict = check(EXAMPLE, tmp_path, "--strict")
    assert (code, verdict["verdict"], verdict["findings"]) == (0, "same", []), verdict
    for run in verdict["runs"]:
        ranks = [(p["name"], p["steps"]) for p in run["processes"]]
        assert ranks == [("rank 0", 58), ("rank 1", 58)]


BROKEN = {
    "set_epoch": ("sampler.set_epoch(epoch)", "pass", "identical-randomness", "in batches:"),
    "clipping": (
        "nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        "dist.get_rank() or nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        "replicas-disagree",
        "clip_grad_norm_",
    ),
    "buffers": (
        "DistributedDataParallel(build_model())",
        "DistributedDataParallel(build_model(), broadcast_buffers=False)",
        "replicas-disagree",
        "broadcast_buffers=False",
    ),
    "the seed of rank 0": (
        "seed_all(SEED + 1 + rank)",
        "seed_all(SEED + 1 + rank) if rank else torch.seed()",
        "rank-rng",
        "torch.seed()",
    ),
    "an unseeded worker": (
        "worker_init_fn=seed_worker",
        "worker_init_fn=lambda worker: np.random.seed()",
        "worker-rng",
        "np.random.seed()",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_told(tmp_path, name):
    line, broken, code, blamed = BROKEN[name]
    source = EXAMPLE.read_text()
    assert source.count(line) == 1
    copy = tmp_path / "broken.py"
    copy.write_text(source.replace(line, broken))
    _, verdict = check(copy, tmp_path)
    found = [*verdict["findings"], *verdict["causes"]]
    assert [one["code"] for one in found] == [code], verdict
    assert blamed in copy.read_text().splitlines()[found[0]["line"] - 1]
