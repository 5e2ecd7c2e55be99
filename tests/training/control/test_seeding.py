from __future__ import annotations

import random
from collections.abc import Callable
from importlib import metadata

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from samebits.errors import UsageError
from samebits.training.control import seed_everything, seeders
from samebits.training.control.seeding import global_seeds

pytestmark = pytest.mark.usefixtures("rng_put_back")


def draws() -> tuple[float, float, float]:
    return random.random(), float(np.random.rand()), float(torch.rand(()))


def test_gives_what_the_three_seeding_functions_give() -> None:
    random.seed(7)
    np.random.seed(7)
    torch.manual_seed(7)
    by_hand = draws()
    seed_everything(7)
    assert draws() == by_hand


def test_a_seed_beyond_32_bits_reaches_every_generator() -> None:
    seed_everything(2**64 - 1)
    first = draws()
    seed_everything(2**64 - 1)
    assert draws() == first
    assert torch.initial_seed() == 2**64 - 1


def test_ranks_draw_different_numbers_from_every_generator() -> None:
    seen = []
    for rank in (None, 0, 1, 2):
        seed_everything(3, rank=rank)
        seen.append(draws())
    for one_generator in zip(*seen, strict=True):
        assert len(set(one_generator)) == len(seen)


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**16), min_size=2, unique=True))
def test_ranks_never_share(seed: int, ranks: list[int]) -> None:
    seeds = [global_seeds(seed, rank) for rank in ranks]
    for name in ("python", "numpy", "torch"):
        assert len({getattr(s, name) for s in seeds}) == len(ranks)


def test_a_bad_seed_changes_nothing() -> None:
    before = random.getstate()
    with pytest.raises(UsageError, match=r"seed % 2\*\*64 would be 18446744073709551615"):
        seed_everything(-1)
    assert random.getstate() == before


class Entry:
    """Stands for an installed package's entry point."""

    def __init__(self, name: str, seeder: Callable[[int], None] | None) -> None:
        self.name = name
        self.value = f"{name}.random:seed"
        self._seeder = seeder

    def load(self) -> Callable[[int], None]:
        if self._seeder is None:
            raise ModuleNotFoundError(f"No module named {self.name!r}")
        return self._seeder


def test_seeders_of_other_libraries_run_and_a_broken_one_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called: list[tuple[str, int]] = []

    def broken(seed: int) -> None:
        raise OverflowError(f"{seed} is too large")

    entries = [
        Entry("zeta", lambda seed: called.append(("zeta", seed))),
        Entry("gone", None),
        Entry("broken", broken),
        Entry("alpha", lambda seed: called.append(("alpha", seed))),
    ]

    def entry_points(*, group: str) -> list[Entry]:
        assert group == "samebits.seeders"
        return entries

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    with pytest.warns(RuntimeWarning, match=r"The seeder '(broken|gone)'"):
        streams = seed_everything(11)
    assert called == [("alpha", 11), ("zeta", 11)]
    assert streams.failures == (
        "The seeder 'broken' (broken.random:seed) failed: OverflowError: 11 is too large",
        "The seeder 'gone' (gone.random:seed) failed: ModuleNotFoundError: No module named 'gone'",
    )


def test_an_installed_entry_point_is_found(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    info = tmp_path / "demo_seeder-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo-seeder\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[samebits.seeders]\ndemo = demo_seeder:seed\n")
    (tmp_path / "demo_seeder.py").write_text("SEEN = []\ndef seed(n):\n    SEEN.append(n)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert seeders.run_seeders(5) == ()
    import demo_seeder  # type: ignore[import-not-found]

    assert demo_seeder.SEEN == [5]


@pytest.mark.parametrize("module", ["numpy", "torch"])
def test_lazy_seeding_imports_nothing_and_seeds_at_the_import(
    run_python: Callable[..., str], module: str
) -> None:
    draw = {"numpy": "numpy.random.rand()", "torch": "float(torch.rand(()))"}[module]
    seeding = {"numpy": "numpy.random.seed(9)", "torch": "torch.manual_seed(9)"}[module]
    by_hand = run_python(f"import {module}\n{seeding}\nprint({draw})")
    lazily = run_python(
        "import sys\n"
        "from samebits.training.control import seed_everything\n"
        "seed_everything(9, lazy=True)\n"
        "assert not {'numpy', 'torch'} & set(sys.modules)\n"
        f"import {module}\nprint({draw})"
    )
    assert lazily == by_hand


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_every_gpu_is_seeded() -> None:
    per_device = []
    for _ in range(2):
        seed_everything(1)
        per_device.append(
            [torch.rand(4, device=f"cuda:{i}").cpu() for i in range(torch.cuda.device_count())]
        )
    for first, second in zip(*per_device, strict=True):
        assert torch.equal(first, second)
