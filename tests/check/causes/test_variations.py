"""Variations: found by name, each with what it means, and with a reason where it cannot be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from samebits.check import causes, hooks
from samebits.check.causes.variation import Baseline
from samebits.check.hooks.addresses import AddressesHook
from samebits.core.interposition import UserLines

NAMES = (
    "addresses",
    "batch",
    "clock",
    "hash-seed",
    "isa",
    "listing",
    "memory",
    "threads",
    "unwatched",
    "workers",
)


def test_they_are_found_by_name():
    assert causes.VARIATION_NAMES == NAMES
    assert [causes.variation(name).name for name in NAMES] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_says_what_it_means(name):
    variation = causes.variation(name)
    assert variation.what
    assert variation.meaning
    assert variation.fix.endswith(".")
    assert variation in causes.of_variation(name).variations
    assert variation.hook is None or variation.hook in hooks.names()


def test_a_hash_seed_that_is_fixed_is_changed():
    variation = causes.variation("hash-seed")
    for given in ("0", "4242"):
        made = variation.surroundings(Baseline(environment={"PYTHONHASHSEED": given}))
        assert made.environment["PYTHONHASHSEED"] not in (given, "random")


@pytest.mark.parametrize(("usual", "other"), [("1", "2"), ("4", "1"), ("16", "8")])
def test_threads_are_others(usual, other):
    circumstances = Baseline(environment={"OMP_NUM_THREADS": usual})
    made = causes.variation("threads").surroundings(circumstances)
    assert made.environment["OMP_NUM_THREADS"] == made.environment["MKL_NUM_THREADS"] == other


@pytest.mark.parametrize(
    ("flag", "arguments", "expected"),
    [
        ("--mb", ("--mb", "8"), {"batch": ("--mb", "4")}),
        ("--mb", ("--mb=1",), {"batch": ("--mb", "2")}),
        ("--mb=3", (), {"batch": ("--mb", "3")}),
        ("mb=2,4", ("mb=8",), {"batch=2": ("mb", "2"), "batch=4": ("mb", "4")}),
    ],
)
def test_batches_are_split_by_the_named_option(flag, arguments, expected):
    circumstances = Baseline(environment={}, arguments=arguments, batch_flag=flag)
    variation = causes.variation("batch")
    assert variation.not_applicable(circumstances) is None
    made = variation.variants(circumstances)
    assert {name: one.argv for name, one in made.items()} == expected


@pytest.mark.parametrize(
    ("name", "circumstances", "reason"),
    [
        ("batch", {}, "--batch-flag"),
        ("batch", {"batch_flag": "--mb"}, "run without --mb"),
        ("batch", {"batch_flag": "--mb", "arguments": ("--mb", "all")}, "no number"),
        ("unwatched", {"controlled": True}, "under control"),
        ("unwatched", {"stopped": True}, "after a step"),
        ("memory", {"environment": {"LD_PRELOAD": "libtcmalloc.so"}}, "tcmalloc"),
        (
            "isa",
            {
                "environment": {
                    "ATEN_CPU_CAPABILITY": "default",
                    "ONEDNN_MAX_CPU_ISA": "sse41",
                    "MKL_CBWR": "COMPATIBLE",
                }
            },
            "",
        ),
    ],
)
def test_where_it_cannot_be_it_says_why(name, circumstances, reason):
    said = causes.variation(name).not_applicable(Baseline(**{"environment": {}, **circumstances}))
    assert said
    assert reason in said


_ORDER_BY_ADDRESS = """
import sys
from samebits.check.hooks import install
from samebits.core.interposition.surroundings import HookSpec
if sys.argv[1:]:
    install([HookSpec(name="addresses")])
class Item:
    def __init__(self, number):
        self.number = number
items = [Item(n) for n in range(50)]
print([item.number for item in sorted(items, key=id)])
"""


def test_another_order_of_addresses():
    def run(*arguments: str) -> str:
        command = [sys.executable, "-c", _ORDER_BY_ADDRESS, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert run("on") != run()


_CLASSES_BY_ADDRESS = """
import sys
from samebits.check.hooks import install
from samebits.core.interposition.surroundings import HookSpec
installed = install([HookSpec(name="addresses", settings={"seed": int(s)}) for s in sys.argv[1:]])
class A: pass
class B: pass
class C(dict): pass
class D: pass
class E: pass
class F: pass
class G: pass
class H: pass
print("".join(kind.__name__ for kind in sorted([A, B, C, D, E, F, G, H], key=id)))
print(installed.acted.get("addresses", 0))
"""


def test_classes_lie_in_another_order_too():
    def run(*arguments: str) -> list[str]:
        command = [sys.executable, "-c", _CLASSES_BY_ADDRESS, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.split()

    plain, first, second = run(), run("0"), run("1")
    assert len({plain[0], first[0], second[0]}) == 3
    assert (plain[1], first[1]) == ("0", "1")


_RISES = """
import random, sys
from samebits.check.hooks import install
from samebits.core.interposition.surroundings import HookSpec
held = [bytes(random.Random(0).randrange(500)) for _ in range(20_000)]
del held[::3]
install([HookSpec(name="addresses")] if sys.argv[1:] else [])
for size in range(48, 1800, 16):
    places = [id(block) for block in [bytes(size - 33) for _ in range(40)]]
    print(sum(after > before for before, after in zip(places, places[1:])))
"""


def test_objects_of_every_size_lie_in_no_order():
    def rises(*arguments: str) -> list[int]:
        command = [sys.executable, "-c", _RISES, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return list(map(int, done.stdout.split()))

    assert min(rises("on")) >= 10
    assert max(rises("on")) <= 29
    assert max(rises()) >= 38


def test_where_nothing_was_shuffled_it_is_not_said_that_it_was(monkeypatch):
    hook = AddressesHook({"blocks": 100}, UserLines())
    # Whether a hundred blocks are enough depends on what the tests before have left of the heap.
    monkeypatch.setattr(AddressesHook, "_is_shuffled", staticmethod(lambda size: True))
    hook._shuffle()
    assert hook.acted == 1
    monkeypatch.setattr(AddressesHook, "_is_shuffled", staticmethod(lambda size: False))
    hook._shuffle()
    assert hook.acted == 1
    assert "could not be tested" in causes.variation("addresses").idle


def test_finding_them_imports_no_torch():
    code = (
        "import sys; from samebits.check import causes; "
        "print([m for m in ('torch', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_another_instruction_set_reaches_more_than_sums():
    isa = causes.variation("isa")
    assert "draws" in isa.meaning
    assert "nearly every script" in isa.meaning
    assert "samebits run --exact" in isa.fix
