from __future__ import annotations

import json

import pytest

from samebits.check.trace.manifest import Manifest
from samebits.errors import TraceError

WRONG = {
    "command": "train.py",
    "argv": ["a", 1],
    "cwd": None,
    "script": {"path": "a"},
    "code": [{"path": "a"}],
    "inputs": [{"path": "a", "sha256": "0", "size": -1}],
    "files": [{"path": "a", "kind": "socket", "digest": "", "size": 1, "step": 0}],
    "environment": [],
    "level": "fine",
    "rank": True,
    "exit": {"code": "0", "signal": None, "reason": "finished"},
    "seconds": "1",
    "counts": {"ops": 1.5, "steps": 0},
    "stdout": {"bytes": 2**70, "blake2b": "", "truncated": False},
    "notes": "one",
    "complete": 1,
    "seals": {"ops.arrow": {"bytes": 1}},
}


def test_the_default_manifest_passes_its_own_check():
    content = json.loads(json.dumps(Manifest().to_json()))
    assert Manifest.from_json(content, "manifest.json").to_json() == content


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_type_is_named(key):
    with pytest.raises(TraceError, match=rf"manifest\.json: '{key}"):
        Manifest.from_json({**Manifest().to_json(), key: WRONG[key]}, "manifest.json")


def test_unknown_keys_are_kept():
    content = {**Manifest().to_json(), "colour": {"of": "the bikeshed"}}
    assert Manifest.from_json(content, "m").to_json()["colour"] == {"of": "the bikeshed"}


@pytest.mark.parametrize(
    "text", ["", "[]", "nul", "[" * 100_000, '{"schema": ' + "1" * 9999, "\xff"]
)
def test_what_is_no_manifest(tmp_path, text):
    path = tmp_path / "manifest.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(TraceError, match=r"manifest\.json"):
        Manifest.read(path)


def test_values_json_does_not_know_become_text(tmp_path):
    path = tmp_path / "manifest.json"
    Manifest(environment={"path": tmp_path, "tuple": (1, 2), "set": {3}}).write(path)
    found = Manifest.read(path).environment
    assert found == {"path": str(tmp_path), "tuple": [1, 2], "set": [3]}
