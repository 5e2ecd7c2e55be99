"""Several hooks that act on one function."""

from __future__ import annotations

import os

import pytest

from samebits.core.interposition.replacements import Replacements


@pytest.fixture
def replacements():
    one, other = Replacements(), Replacements()
    yield one, other
    other.undo()
    one.undo()


def test_each_of_two_hooks_acts(replacements):
    original, acted = os.access, []

    def noted(name):
        def make(before):
            def access(*args, **kwargs):
                acted.append(name)
                return before(*args, **kwargs)

            return access

        return make

    for name, hook in zip(("files", "clock"), replacements, strict=True):
        hook.replace(os, "access", noted(name))
    os.access("/", os.R_OK)
    assert acted == ["clock", "files"]
    replacements[1].undo()
    os.access("/", os.R_OK)
    assert acted == ["clock", "files", "files"]
    replacements[0].undo()
    assert os.access is original
