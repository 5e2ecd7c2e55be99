"""Data that another process of the run made."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import entry

from samebits.check.trials.attribution.from_another_process import from_another_process

PROCESS = {
    "name": "0.2",
    "via": "subprocess",
    "kind": "python",
    "file": "/w/main.py",
    "line": 21,
    "program": "python generate.py",
    "rank": "",
}


def situation(
    *,
    data: bool = True,
    wrote: tuple[str, ...] = ("/w/days.csv", "/w/days.csv"),
    holds: tuple[str, ...] = ("a", "b"),
):
    traces = tuple(
        SimpleNamespace(
            manifest=SimpleNamespace(
                processes=[PROCESS],
                process_files=[{"path": path, "process": "0.2", "digest": digest, "beside": ""}],
            )
        )
        for path, digest in zip(wrote, holds, strict=True)
    )
    return SimpleNamespace(closer=SimpleNamespace(data=data), traces=traces)


def evidence(path: str = "/w/days.csv", *, differs: bool = True):
    pair = entry("file", detail=path, other_digest=2 if differs else 1)
    return SimpleNamespace(of=lambda source: [pair])


def test_the_line_that_started_the_writer_is_named():
    cause = from_another_process(situation(), evidence())
    assert (cause.code, cause.file, cause.line) == ("data-changed", "/w/main.py", 21)
    assert cause.evidence == (
        "/w/days.csv has different content in the two runs. The process started at main.py:21 "
        "(python generate.py) wrote it; what that process draws and reads is not recorded."
    )


@pytest.mark.parametrize(
    ("where", "what"),
    [
        (situation(data=False), evidence()),
        (situation(), evidence("/w/other.csv")),
        (situation(), evidence(differs=False)),
        (situation(wrote=("/w/days.csv", "/w/x.csv")), evidence()),
        (situation(holds=("a", "a")), evidence()),  # an archive of another time
    ],
)
def test_without_a_file_that_differs_and_both_wrote_nothing_is_said(where, what):
    assert from_another_process(where, what) is None
