"""What differs, what it can do, and what to do about it."""

from __future__ import annotations

import dataclasses

import pytest

from samebits.environment import Environment, compare_environments
from samebits.environment.comparison import GROUPS
from samebits.environment.effects import effect_of, effects
from samebits.environment.facts import SECTIONS

from .conftest import changed


def found(a: Environment, b: Environment, **options):
    return {d.fact: d.effect for d in compare_environments(a, b, **options).differences}


def test_equal_environments_do_not_differ(environment):
    comparison = compare_environments(environment, environment)
    assert comparison.differences == ()
    assert not comparison.bits_can_change


@pytest.mark.parametrize(
    ("section", "facts", "fact", "effect"),
    [
        ("processor", {"capability": "AVX512"}, "processor.capability", "changes"),
        ("processor", {"model": "Xeon"}, "processor.model", "may"),
        ("threads", {"torch": 4}, "threads.torch", "changes"),
        ("torch", {"version": "2.12.0"}, "torch.version", "changes"),
        ("torch", {"blas": "OpenBLAS"}, "torch.blas", "changes"),
        ("python", {"version": "3.12.1"}, "python.version", "may"),
        ("system", {"kernel": "5.4"}, "system.kernel", "harmless"),
        ("system", {"libc": "glibc-2.31"}, "system.libc", "may"),
        ("packages", {"numpy": {"version": "2.0.0"}}, "packages.numpy.version", "may"),
        ("packages", {"numpy": {"version": "2.4.6", "files": "22"}}, "packages.numpy.files", "may"),
        ("packages", {"rich": {"version": "1.0"}}, "packages.rich.version", "harmless"),
        ("variables", {"MKL_CBWR": "AVX2"}, "variables.MKL_CBWR", "may"),
        ("code", {"commit": "9999"}, "code.commit", "changes"),
        ("code", {"changes": "d1"}, "code.changes", "changes"),
        ("files", {"data.csv": {"size": 3, "sha256": "cd"}}, "files.data.csv.sha256", "changes"),
    ],
)
def test_each_difference_has_its_effect(environment, section, facts, fact, effect):
    other = changed(environment, section, **facts)
    assert found(environment, other) == {fact: effect}
    (difference,) = compare_environments(environment, other).differences
    assert difference.reason
    assert difference.remedy
    assert compare_environments(environment, other).bits_can_change == (effect != "harmless")


def test_a_remedy_names_the_value_to_get_back_to(environment):
    other = changed(environment, "packages", numpy={"version": "2.0.0"})
    (difference,) = compare_environments(environment, other).differences
    assert difference.remedy == "pip install numpy==2.4.6"
    other = changed(environment, "variables", MKL_CBWR="AVX2")
    (difference,) = compare_environments(environment, other).differences
    assert difference.remedy == "unset MKL_CBWR"


def test_a_version_says_what_its_digest_would_say_again(environment):
    other = changed(environment, "packages", numpy={"version": "2.0.0", "files": "99"})
    assert found(environment, other) == {"packages.numpy.version": "may"}
    newer = changed(environment, "torch", version="2.14.0", git="beef")
    assert found(environment, newer) == {"torch.version": "changes"}


def test_a_fact_that_one_side_could_not_find_out_is_no_difference(environment):
    assert found(environment, changed(environment, "processor", capability=None)) == {}
    other = changed(environment, "packages", numpy={"version": "2.4.6", "files": None})
    assert found(environment, other) == {}


def test_a_gpu_on_one_side_alone_is_a_difference(environment):
    gpu = dataclasses.replace(environment, gpus={"0": {"name": "H200", "capability": "9.0"}})
    assert found(environment, gpu)["gpus.0.name"] == "changes"
    without_torch = dataclasses.replace(environment, torch={})
    assert found(without_torch, gpu) == {}


def test_only_some_groups_are_compared(environment):
    other = changed(changed(environment, "code", commit="9"), "threads", torch=3)
    assert found(environment, other, only=["code"]) == {"code.commit": "changes"}
    assert found(environment, other, only=["hardware"]) == {}


def test_the_gravest_come_first(environment):
    other = changed(environment, "system", kernel="5", libc="glibc-2.2")
    other = changed(other, "torch", version="2.9.0")
    effects_found = [d.effect for d in compare_environments(environment, other).differences]
    assert effects_found == ["changes", "may", "harmless"]


def test_every_section_belongs_to_a_group():
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(SECTIONS)


def test_every_fact_of_a_capture_has_an_entry_of_its_own(environment):
    full = dataclasses.replace(
        environment,
        torch=dict.fromkeys(("git", "cuda", "cudnn", "nccl", "hip", "onednn", "openmp"), "x")
        | {"compiler": "x", "debug": False, "version": "1", "blas": "x"},
        gpus={"0": {"name": "a", "capability": "b", "memory": 1, "driver": "c"}},
        code={**environment.code, "script": "ab"},
    )
    for path, _ in full.flat():
        assert effect_of(path).fact != "*", path


def test_remedies_have_no_other_placeholders():
    for entry in effects():
        entry.remedy.format(a="1", b="2", name="n")
