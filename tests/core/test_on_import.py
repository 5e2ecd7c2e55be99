from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from samebits.core.on_import import when_imported, while_imported


@pytest.fixture(autouse=True)
def modules_put_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.syspath_prepend(tmp_path)
    finders = list(sys.meta_path)
    yield
    sys.meta_path[:] = finders
    for name in ("late_module", "late_package", "late_package.part"):
        sys.modules.pop(name, None)


def test_an_imported_module_is_acted_on_now() -> None:
    seen: list[str] = []
    when_imported("sys", lambda: seen.append("now"))
    assert seen == ["now"]


def test_actions_run_once_in_order_after_the_module(tmp_path: Path) -> None:
    (tmp_path / "late_module.py").write_text("READY = True\n")
    seen: list[object] = []
    finders = list(sys.meta_path)
    when_imported("late_module", lambda: seen.append(sys.modules["late_module"].READY))
    when_imported("late_module", lambda: seen.append("second"))
    assert seen == []
    module = importlib.import_module("late_module")
    assert seen == [True, "second"]
    assert sys.meta_path == finders
    importlib.reload(module)
    assert seen == [True, "second"]


def test_the_module_cannot_tell(tmp_path: Path) -> None:
    (tmp_path / "late_module.py").write_text("def f():\n    return 1\n")
    plain = importlib.import_module("late_module")
    kind, source = type(plain.__loader__), inspect.getsource(plain)
    del sys.modules["late_module"]
    when_imported("late_module", lambda: None)
    module = importlib.import_module("late_module")
    assert type(module.__loader__) is kind
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__
    assert module.__spec__.origin == str(tmp_path / "late_module.py")
    assert inspect.getsource(module) == source


def test_a_package_still_finds_its_parts(tmp_path: Path) -> None:
    (tmp_path / "late_package").mkdir()
    (tmp_path / "late_package" / "__init__.py").write_text("from late_package import part\n")
    (tmp_path / "late_package" / "part.py").write_text("X = 3\n")
    seen: list[int] = []
    when_imported("late_package", lambda: seen.append(sys.modules["late_package.part"].X))
    importlib.import_module("late_package.part")
    assert seen == [3]


def test_a_failing_import_keeps_the_action_for_the_next(tmp_path: Path) -> None:
    path = tmp_path / "late_module.py"
    path.write_text("raise RuntimeError('not yet')\n")
    seen: list[str] = []
    when_imported("late_module", lambda: seen.append("done"))
    with pytest.raises(RuntimeError, match="not yet"):
        importlib.import_module("late_module")
    assert seen == []
    path.write_text("READY = True  # of another length, so that no cache is taken for it\n")
    importlib.invalidate_caches()
    importlib.import_module("late_module")
    assert seen == ["done"]


def test_a_missing_module_is_missing_as_ever() -> None:
    when_imported("late_module", lambda: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'late_module'"):
        importlib.import_module("late_module")


def test_an_actions_error_comes_out_of_the_import(tmp_path: Path) -> None:
    (tmp_path / "late_module.py").write_text("")

    def refuse() -> None:
        raise ValueError("no")

    when_imported("late_module", refuse)
    with pytest.raises(ValueError, match="no"):
        importlib.import_module("late_module")


class Asked:
    def __init__(self, asked: list[str]) -> None:
        self._asked = asked

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        self._asked.append(name)


def test_a_module_and_its_actions_run_inside_a_context(tmp_path: Path) -> None:
    (tmp_path / "late_module.py").write_text("import sys\nsys.late_module_seen.append('code')\n")
    seen: list[str] = []

    @contextmanager
    def within() -> Iterator[None]:
        seen.append("before")
        try:
            yield
        finally:
            seen.append("after")

    sys.late_module_seen = seen  # type: ignore[attr-defined]
    when_imported("late_module", lambda: seen.append("action"))
    end = while_imported(lambda spec: within() if spec.name == "late_module" else None)
    try:
        module = importlib.import_module("late_module")
        assert seen == ["before", "code", "action", "after"]
        importlib.reload(module)
    finally:
        del sys.late_module_seen  # type: ignore[attr-defined]
    assert seen == ["before", "code", "action", "after", "before", "code", "after"]
    assert type(module.__loader__) is importlib.machinery.SourceFileLoader
    end()
    end()
    del sys.modules["late_module"]
    sys.late_module_seen = []  # type: ignore[attr-defined]
    importlib.import_module("late_module")
    assert sys.late_module_seen == ["code"]  # type: ignore[attr-defined]
    del sys.late_module_seen  # type: ignore[attr-defined]


def test_many_at_once_ask_each_finder_once_each(tmp_path: Path) -> None:
    asked: list[str] = []
    for _ in range(30):
        while_imported(lambda spec: None)
    sys.meta_path.append(Asked(asked))
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("late_module")
    assert len(asked) <= 31


def test_it_is_told_how_each_module_was_found(tmp_path: Path) -> None:
    (tmp_path / "late_package").mkdir()
    (tmp_path / "late_package" / "__init__.py").write_text("from late_package import part\n")
    (tmp_path / "late_package" / "part.py").write_text("")
    seen: list[tuple[str, str | None]] = []
    while_imported(lambda spec: seen.append((spec.name, spec.origin)))
    importlib.import_module("late_package.part")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("late_module")
    assert seen == [
        ("late_package", str(tmp_path / "late_package" / "__init__.py")),
        ("late_package.part", str(tmp_path / "late_package" / "part.py")),
    ]


def test_a_failing_import_leaves_the_context(tmp_path: Path) -> None:
    (tmp_path / "late_module.py").write_text("raise RuntimeError('not yet')\n")
    seen: list[str] = []

    @contextmanager
    def within() -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            seen.append(str(error))
            raise

    while_imported(lambda spec: within() if spec.name == "late_module" else None)
    with pytest.raises(RuntimeError, match="not yet"):
        importlib.import_module("late_module")
    assert seen == ["not yet"]
