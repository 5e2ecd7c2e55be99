"""samebits' own imports leave no mark on what the script imports."""

from __future__ import annotations

import sys

from samebits.check.record.own_imports import OwnImports


def test_claimed_modules_change_places(tmp_path, monkeypatch):
    (tmp_path / "queue.py").write_text("")
    (tmp_path / "wave").mkdir()
    (tmp_path / "wave" / "__init__.py").write_text("")
    (tmp_path / "sched").mkdir()  # a folder without __init__ claims nothing
    (tmp_path / "model.py").write_text("")  # no module that samebits needs
    import queue
    import sched
    import wave

    before = set(sys.modules) - {"queue", "wave", "sched"}
    own = {"queue": queue, "wave": wave}
    for name in own:
        monkeypatch.setitem(sys.modules, name, own[name])  # put back at the end
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    imports = OwnImports([str(tmp_path)], before)
    assert not {"queue", "wave"} & sys.modules.keys()
    assert sys.modules["sched"] is sched
    theirs = object()
    sys.modules["queue"] = theirs  # the script imports its own
    with imports():
        assert sys.modules["queue"] is queue
        assert sys.modules["wave"] is wave
        assert sys.path[-1] == str(tmp_path)
    assert sys.modules["queue"] is theirs
    assert "wave" not in sys.modules
    assert sys.path[0] == str(tmp_path)


def test_without_claims_nothing_is_touched(tmp_path):
    imports = OwnImports([str(tmp_path), str(tmp_path / "missing")], set())
    before = dict(sys.modules), list(sys.path)
    with imports():
        assert (dict(sys.modules), list(sys.path)) == before
