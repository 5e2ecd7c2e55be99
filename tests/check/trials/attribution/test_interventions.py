"""What a counterfactual run is made in."""

from __future__ import annotations

import pytest

from samebits.check.trials.attribution.interventions import Interventions


def files_of(*pinned: str) -> list[dict[str, object]]:
    """Settings of the hook "files" where these are pinned."""
    hooks = Interventions(pinned=frozenset(pinned)).surroundings().hooks
    return [dict(hook.settings) for hook in hooks if hook.name == "files"]


@pytest.mark.parametrize("pin", ["clock", "entropy"])
def test_what_a_run_makes_under_a_pinned_name_is_gone_for_the_next_one(pin):
    assert files_of(pin) == [{"new": True}]
    assert files_of(pin, "files") == files_of("files")
    assert files_of("files") != [{"new": True}]


def test_other_pins_give_no_names():
    assert files_of("seeds", "hash-seed", "addresses") == []
