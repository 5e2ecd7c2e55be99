"""Whatever an expression finds holds one of the parts that are looked for first."""

from __future__ import annotations

import random
import tempfile

import pytest

from samebits.core.catalog.quantities import Quantity, measured, of_a_run, replaced

WRITTEN = (
    f"left in {tempfile.gettempdir()}/run-3/log",
    "/private/tmp/x and /var/tmp/y and /dev/shm/z",
    "/var/folders/ab/cd/T/out",
    "folder tmpab12cd34",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "<Node object at 0x7f3c5a1b2d90>",
    "0x7f3c5a1b2d90",
    '{"schema": "samebits.checkpoint/1", "blake2b": "' + "0a" * 32 + '",',
    "events.out.tfevents.1704189600.host.1.0",
    "I0102 10:11:12.123456 4711 main.cc:3",
    "2024-01-02 10:11:12,123 and 2024.01.02 and 2024/01/02",
    "run2024_01_02_10_11_12",
    "20240102-101112-a57da2 and 20240102T101112 and 20240102_1011",
    "runs/0102_101112",
    "01/02/2024 10:11:12 PM",
    "Mon, 06 May 07:08:09",
    "Mon, 06 May 2024 07:08:09",
    "Tue Jan  2 10:11:12 2024",
    "02Jan-101112",
    "3 days, 10:11:12.5",
    "[00:03<00:10, 3.1it/s]",
    "1704189600.25",
    "12.3 ms/batch, 1.2k tokens/sec",
    "9 M rows/s, ?it/s",
    "60 FPS",
    "23.1x faster",
    "123 tokens per second",
    "2,956 steps a second, 3 rows each minute",
    "312.5 MB and 1.2 GiB",
    "elapsed 3.5, wall: 4, ETA 00:10, mfu 0.4, Date = 3",
    "tok/sec: 1234, train_samples_per_second = 81.0",
    '"training_s": 1.4, "eval_ms": 3',
    "Finished in 3.5, compiled in 2",
    "pid 4711, process id: 3",
    "process 4711",
    "port 43211, http://localhost:6006",
    "v_num=17",
    "lightning_logs/version_3",
    "1h 2m 3s",
    "2 h 10 min",
    "15 minutes, 3.2s, 3 us, 4 ns, 2 days, 7 hrs",
)


def _lines() -> list[str]:
    """What is written, and pieces of it in other orders and in other letters."""
    rng = random.Random(7)
    pieces = sorted({piece for line in WRITTEN for piece in line.split()})
    mixed = (
        rng.choice(("", " ", ", ", "=", ": ")).join(rng.choices(pieces, k=rng.randint(1, 5)))
        for _ in range(2_000)
    )
    return [form for line in (*WRITTEN, *mixed) for form in (line, line.lower(), line.upper())]


@pytest.mark.parametrize("quantity", measured(), ids=lambda one: one.expression.pattern[:50])
def test_what_is_found_holds_a_part(quantity: Quantity) -> None:
    found = [line for line in _lines() if quantity.expression.search(line)]

    assert found, "no line shows whether the parts are right"
    assert [line for line in found if not any(p in line.lower() for p in quantity.parts)] == []


def test_where_no_part_is_nothing_is_looked_for() -> None:
    class Never:
        def sub(self, stand_in: str, text: str) -> str:
            raise AssertionError("looked for")

    quantity = Quantity(Never(), "#", ("sec", "min"))  # type: ignore[arg-type]

    assert replaced([quantity], "0.1234,harbour,-12.5") == "0.1234,harbour,-12.5"
    with pytest.raises(AssertionError, match="looked for"):
        replaced([quantity], "3 SECONDS")


def test_letters_with_several_small_forms_are_looked_for_as_before() -> None:
    assert replaced(measured(), "3 \u017fecond\u017f") == "3 \u017fecond\u017f"
    assert replaced(measured(), "Elap\u017fed: 3.5") == "Elap\u017fed: #"


def test_a_measurement_is_as_it_is_in_a_run_alone_and_more() -> None:
    assert set(of_a_run()) < set(measured())
