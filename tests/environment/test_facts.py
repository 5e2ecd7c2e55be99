"""The environment file: what is written is read, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samebits.environment import SCHEMA, Environment
from samebits.environment.facts import environment_of
from samebits.errors import TraceError, UsageError


def test_a_file_reads_as_it_was_written(environment, tmp_path):
    environment.write(tmp_path / "e.json")
    assert Environment.read(tmp_path / "e.json") == environment


def test_a_run_folders_manifest_holds_an_environment(environment, tmp_path):
    manifest = {"schema": "samebits.run/1", "environment": environment.to_json()}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert Environment.read(tmp_path) == environment
    assert Environment.read(tmp_path / "manifest.json") == environment


def test_facts_are_flat_with_their_paths(environment):
    facts = dict(environment.flat())
    assert facts["packages", "numpy", "version"] == "2.4.6"
    assert facts["files", "data.csv", "sha256"] == "ab"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ("{}", "schema is None"),
        ('{"schema": "samebits.environment/9"}', "this version reads"),
        (f'{{"schema": "{SCHEMA}", "torch": 3}}', "'torch' must be an object"),
        (f'{{"schema": "{SCHEMA}", "torch": {{"version": [1]}}}}', "'torch.version' must be text"),
        (f'{{"schema": "{SCHEMA}", "torch": {"{" + chr(34) + "a" + chr(34) + ": "}{{}}}}}}', ""),
        ("[" * 100_000, "no JSON"),
        ('{"schema": "samebits.run/1"}', "no JSON object"),
    ],
)
def test_another_content_is_an_error(content, said, tmp_path):
    path = tmp_path / "e.json"
    path.write_text(content)
    if not said:
        assert Environment.read(path).torch == {"a": {}}
        return
    with pytest.raises(TraceError, match=r"e\.json") as caught:
        Environment.read(path)
    assert said in caught.value.message
    assert caught.value.hint


def test_nesting_without_end_is_an_error():
    deep: object = "x"
    for _ in range(200):
        deep = {"a": deep}
    with pytest.raises(ValueError, match="nested too deeply"):
        environment_of({"schema": SCHEMA, "torch": deep}, ValueError)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["schema", "torch", "packages", "a", "captured"]), inner, max_size=3
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_an_environment_or_an_error(content):
    if isinstance(content, dict):
        content["schema"] = SCHEMA
    try:
        found = environment_of(content, ValueError)
    except ValueError:
        return
    list(found.flat())
    json.dumps(found.to_json())


def test_a_file_that_cannot_be_written_is_an_error(environment, tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        environment.write(tmp_path / "nowhere" / "e.json")


def test_names_in_messages_are_printable(tmp_path):
    path = tmp_path / "e\x1b[31m.json"
    path.write_text("{")
    with pytest.raises(TraceError) as caught:
        Environment.read(path)
    assert "\x1b" not in str(caught.value)
