"""Installed packages and the digest of their files."""

from __future__ import annotations

import json

import pytest

from samebits.environment.packages import (
    files_digest,
    installed_packages,
    normalised,
    packages_in_no_index,
)

RECORD = """\
thing.py,sha256=abc,10
thing-1.0.dist-info/RECORD,,
thing-1.0.dist-info/INSTALLER,sha256=pip,4
thing-1.0.dist-info/METADATA,sha256=meta,40
__pycache__/thing.cpython-311.pyc,sha256=code,99
../../../bin/thing,sha256=here,200
"""


def test_the_digest_does_not_depend_on_the_place_or_the_installer():
    elsewhere = RECORD.replace("sha256=here", "sha256=there").replace("sha256=pip", "sha256=uv")
    elsewhere = "\n".join(reversed(elsewhere.replace("sha256=code", "sha256=other").splitlines()))
    assert files_digest(RECORD) == files_digest(elsewhere)


def test_the_digest_changes_with_a_file():
    assert files_digest(RECORD) != files_digest(RECORD.replace("abc", "abd"))
    assert files_digest(RECORD) != files_digest(RECORD.replace("thing.py", "things.py"))


def test_a_record_without_hashes_has_no_digest():
    assert files_digest("thing.py,,\n") is None
    assert files_digest(None) is None
    assert files_digest("") is None


def test_packages_are_found_by_their_normalised_names(tmp_path):
    info = tmp_path / "My_Thing-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: My_Thing\nVersion: 1.0\n")
    (info / "RECORD").write_text(RECORD)
    expected = {"my-thing": {"version": "1.0", "files": files_digest(RECORD)}}
    assert installed_packages([str(tmp_path)]) == expected


@pytest.mark.parametrize(
    ("direct_url", "origin"),
    [
        ({"url": "file:///src/own", "dir_info": {}}, ""),
        ({"url": "file:///src/own", "dir_info": {"editable": True}}, ""),
        (
            {
                "url": "https://me:token@host/own",
                "vcs_info": {"vcs": "git", "commit_id": "1234", "requested_revision": "main"},
            },
            "git+https://host/own@1234",
        ),
        ({"url": "https://host/own-1.0.whl", "archive_info": {"hash": "sha256=aa"}}, None),
        (None, None),
        ([], None),
    ],
)
def test_what_came_from_a_folder_or_a_repository_is_in_no_index(tmp_path, direct_url, origin):
    info = tmp_path / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    if direct_url is not None:
        (info / "direct_url.json").write_text(json.dumps(direct_url))
    expected = {} if origin is None else {"own": origin}
    assert packages_in_no_index([str(tmp_path)]) == expected


def test_names_are_compared_as_indexes_do():
    assert normalised("Py.Arrow__x") == "py-arrow-x"


def test_this_environment_has_torch():
    found = installed_packages()
    assert found["torch"]["version"]
    assert len(found["torch"]["files"]) == 16
