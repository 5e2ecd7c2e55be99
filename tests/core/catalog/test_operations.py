from __future__ import annotations

import re
from collections import defaultdict

import pytest
import torch

from samebits.core.catalog.operations import (
    MODES,
    Operation,
    entries_for,
    operation_name,
    operations,
    operators,
)

BULLET = re.compile(r"^\* :(?:class|func):`([\w.]+)`(.*)$")
SECTIONS = {"will act": "switches", "will throw": "raises"}


def documented(text: str) -> dict[str, list[tuple[str, str]]]:
    """Name → (mode, the rest of the bullet) for each bullet of the flag's documentation."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    mode = ""
    last: list[tuple[str, str]] | None = None
    for line in map(str.strip, text.splitlines()):
        bullet = BULLET.match(line)
        sentence = next((m for words, m in SECTIONS.items() if words in line), None)
        if sentence is not None:
            mode, last = sentence, None
        elif line.startswith("In addition"):
            break
        elif bullet is not None and mode:
            last = found[bullet[1]]
            last.append((mode, bullet[2]))
        elif line and last is not None:
            last[-1] = (mode, f"{last[-1][1]} {line}")
    return found


DOCUMENTED = documented(torch.use_deterministic_algorithms.__doc__ or "")


def now() -> list[Operation]:
    return [entry for entry in operations() if entry.speaks_of(torch.__version__)]


def test_the_documentation_was_understood():
    assert len(DOCUMENTED) > 35
    assert {mode for found in DOCUMENTED.values() for mode, _ in found} == {"raises", "switches"}


@pytest.mark.parametrize("name", sorted(DOCUMENTED))
def test_everything_that_torch_documents_is_covered_as_it_is_documented(name):
    said = {entry.documented for entry in now() if name in entry.api} - {""}
    assert said == {mode for mode, _ in DOCUMENTED[name]}


@pytest.mark.parametrize("interpolation", ["linear", "bilinear", "bicubic", "trilinear"])
def test_every_documented_interpolation_is_covered(interpolation):
    assert interpolation in DOCUMENTED["torch.nn.functional.interpolate"][0][1]
    assert any(f"mode='{interpolation}'" in entry.when for entry in now())


def test_what_torch_adds_to_its_documentation_would_be_missed():
    grown = documented(
        (torch.use_deterministic_algorithms.__doc__ or "").replace(
            "* :func:`torch.histc`", "* :func:`torch.novel` on CUDA\n        * :func:`torch.histc`"
        )
    )
    assert grown["torch.novel"] == [("raises", " on CUDA")]
    assert not any("torch.novel" in entry.api for entry in operations())


@pytest.mark.parametrize("entry", operations(), ids=lambda entry: entry.ops[0])
def test_names_are_those_of_torch(entry):
    for name in entry.ops:
        operator, overload = operation_name(name)
        namespace, plain = operator.split(".")
        packet = getattr(getattr(torch.ops, namespace), plain, None)
        packet = packet or getattr(getattr(torch.ops, namespace), f"{plain}_")
        assert not overload or overload in packet.overloads()
    for name in entry.api:
        place = torch
        for part in name.split(".")[1:]:
            place = getattr(place, part)


def test_an_entry_that_contradicts_torchs_documentation_says_what_it_goes_by():
    for entry in operations():
        assert entry.documented in ("", *MODES)
        assert bool(entry.evidence) == (entry.documented != entry.mode), entry.ops


def test_entries_of_one_operation_do_not_answer_the_same_question_twice():
    """The first that holds is taken, so a second one must differ in what it asks."""
    asked = defaultdict(list)
    for entry in operations():
        for name in entry.ops:
            question = (entry.device, entry.phase, entry.dtype, entry.since, entry.until)
            if entry.visible and entry.mode != "nothing":
                asked[name, question].append(entry)
    assert {key: found for key, found in asked.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("version", "since", "until", "expected"),
    [
        ("2.13.0+cpu", "2.13", None, True),
        ("2.9.1", "2.13", None, False),
        ("2.12.1", None, "2.13", True),
        ("2.13.0a0+git1234", None, "2.13", False),
        ("2.9", "2.9", "2.10", True),
        (None, "2.13", None, True),
        (None, None, "2.13", False),
        ("unknown", None, "2.13", False),
    ],
)
def test_an_entry_speaks_of_its_versions(version, since, until, expected):
    entry = Operation(
        ops=("aten.x",),
        api=("torch.x",),
        device="cuda",
        phase="any",
        when="always",
        mode="raises",
        why="It does.",
        instead="Something else.",
        documented="",
        since=since,
        until=until,
    )
    assert entry.speaks_of(version) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aten.cumsum", ("aten.cumsum", "")),
        ("aten.cumsum_", ("aten.cumsum", "")),
        ("aten.scatter_.src", ("aten.scatter", "src")),
        ("aten._index_put_impl_", ("aten._index_put_impl", "")),
        ("MyModule", ("MyModule.", "")),
        ("", (".", "")),
    ],
)
def test_names_are_taken_apart(name, expected):
    assert operation_name(name) == expected


def test_an_overload_is_found_by_its_name_and_by_its_operators():
    assert entries_for("aten.median.dim")
    assert not entries_for("aten.median")
    assert entries_for("aten.cumsum.out") == entries_for("aten.cumsum_")
    assert not entries_for("aten.add.Tensor")
    assert "aten.put" in operators()
