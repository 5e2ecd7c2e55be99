"""Fields by which dataclasses are ordered."""

from __future__ import annotations

from samebits.core.source.ordered_fields import (
    lines_that_read,
    ordered_fields,
    orders_without_a_key,
)

SOURCE = """\
@dataclass(order=True)
class Trial:
    error: float
    seconds: float = 0.0
    model: Module = field(compare=False)
    known: ClassVar[int] = 3

    def better(self): ...


@dataclass
class Plain:
    seconds: float
"""


def test_those_that_are_compared_are_found(tmp_path):
    file = tmp_path / "trials.py"
    file.write_text(SOURCE)
    found = [(field.kind, field.name, field.line) for field in ordered_fields(str(file))]
    assert found == [("Trial", "error", 3), ("Trial", "seconds", 4)]
    assert ordered_fields(str(tmp_path / "none.py")) == []


def test_who_orders_and_reads_them_is_found(tmp_path):
    file = tmp_path / "search.py"
    file.write_text("trial.seconds += 1\nprint(trial.seconds)\nbest = sorted(trials)[:3]\n")
    assert lines_that_read(str(file), "seconds") == (2,)
    assert orders_without_a_key(str(file))
    file.write_text("best = sorted(trials, key=error)[:3]\n")
    assert not orders_without_a_key(str(file))
