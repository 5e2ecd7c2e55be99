"""What was written below a folder goes by the name that the folder is given."""

from __future__ import annotations

import pytest

from samebits.check.record.renames import final_name
from samebits.check.trace.reader import Trace

RENAMING = """
    import os, pathlib, shutil, subprocess, sys
    import torch

    def written(folder):
        os.makedirs(folder + "/part")
        pathlib.Path(folder, "part", "scores.txt").write_text("0.5")
        torch.save({"w": torch.ones(2)}, folder + "/model.pt")
        torch.save({"f": {1}, "g": iter(())}, folder + "/strange.pt")

    os.mkdir("before")
    os.rename("before", "older")
    written("before")
    for number, rename in enumerate((os.rename, os.replace, shutil.move)):
        written(f"tmp{number}")
        rename(f"tmp{number}", f"out{number}")
    written("tmp3")
    pathlib.Path("tmp3").rename("out3")
    os.rename("out3/part", "out3/better")
    written("kept")
    os.mkdir("full")
    pathlib.Path("full/other").write_text("x")
    try:
        os.rename("kept", "full")
    except OSError:
        pass
    code = "import os; os.mkdir('of-child'); open('of-child/a.txt', 'w').write('1')"
    subprocess.run([sys.executable, "-c", code], check=True)
    os.rename("of-child", "of-both")
"""


@pytest.fixture
def manifest(scripts):
    (scripts.folder / "script.py").parent.mkdir(exist_ok=True)
    scripts.write(RENAMING)
    recorded, result = scripts.recorded("script.py")
    assert (recorded.code, recorded.stderr) == (0, b"")
    return Trace.open(result.folder).manifest


def test_files_below_a_folder_go_by_its_new_name(manifest, scripts):
    named = {(f["path"].removeprefix(f"{scripts.folder}/"), f["kind"]) for f in manifest.files}
    text = {path for path, kind in named if kind == "text"}
    folders = ("before", "kept", "out0", "out1", "out2")
    assert text == {*(f"{one}/part/scores.txt" for one in folders), "out3/better/scores.txt"} | {
        "full/other"
    }
    tensors = {path for path, kind in named if kind == "tensors"}
    # The rename of `kept` failed: for torch.save's files alone nobody can tell.
    assert {f"{one}/model.pt" for one in (*folders, "out3")} == tensors
    unread = {f["path"]: f["digest"] for f in manifest.files if f["kind"] == "bytes"}
    assert len(unread) == 6
    assert "unreadable" not in unread.values()
    others = [file["path"] for file in manifest.process_files]
    assert others == [f"{scripts.folder}/of-both/a.txt"]


def test_a_name_that_was_taken_again_stays(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "here").touch()
    renames = {str(tmp_path / "out"): "/older", "/older": "/oldest", "/a": "/b", "/b": "/a"}
    assert final_name(str(tmp_path / "out" / "here"), renames) == str(tmp_path / "out" / "here")
    assert final_name(str(tmp_path / "out" / "gone"), renames) == "/oldest/gone"
    assert final_name("/a/x", renames) == "/b/x"
    assert final_name("/elsewhere", renames) == "/elsewhere"
