"""A tensor in shared memory that is changed while workers read it is told by the source."""

from __future__ import annotations

import textwrap
from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trials.attribution.shared_tensors import tensor_changed_under_workers

CURRICULUM = """
    class Curriculum:
        def __init__(self, start):
            self._noise = torch.tensor(start).share_memory_()

        @property
        def noise(self):
            return float(self._noise)

        def observe(self, mean):
            {change}
    """
CLIPS = """
    class Clips(Dataset):
        def __getitem__(self, index):
            if index:
                clip = self.clips[index] + {read} * 2
            return clip
    """
WORKER = entry("worker", "start", 3)


@pytest.fixture
def told(tmp_path):
    """What is said of a script with such classes in files of their own."""

    def ask(change, *entries, source=CURRICULUM, read="self.curriculum.noise", **found):
        files = {"train": "main()\n", "curriculum": source, "clips": CLIPS}
        for name, text in files.items():
            text = textwrap.dedent(text).lstrip("\n").format(change=change, read=read)
            (tmp_path / f"{name}.py").write_text(text)
        paths = [{"path": str(tmp_path / f"{name}.py")} for name in files]
        run: Any = SimpleNamespace(manifest=SimpleNamespace(script=paths[0], code=paths[1:]))
        where = divergence(**{"data": True, "random": False} | found)
        return tensor_changed_under_workers(Evidence(found=where, entries=entries), run)

    return ask


@pytest.mark.parametrize(
    "change",
    [
        "self._noise += self.step",
        "self._noise[0] = mean",
        "self._noise.fill_(mean)",
        "self._noise.add_(mean).clamp_(0.0, 1.0)",
        "self._noise.data = mean",
    ],
)
def test_the_line_of_the_dataset_that_reads_it_is_named(told, change):
    cause = told(change, WORKER)
    assert (cause.code, cause.line, cause.detail) == ("process-timing", 4, "_noise")
    assert cause.file.endswith("clips.py")
    assert "processes share (curriculum.py:3), and curriculum.py:10 changes it" in cause.evidence
    assert "along with each request" in cause.fix


def test_it_may_be_read_under_its_own_name(told):
    change = "self._noise += self.step"
    assert told(change, WORKER, read="self.curriculum._noise").line == 4
    assert told(change, WORKER, read="self.level") is None


@pytest.mark.parametrize(
    "change",
    [
        "self.step += self._noise",
        "self._noise = mean",
        "self._noise.share_memory_()",
        "_noise = 1; _noise += 1",
        "pass",
    ],
)
def test_what_is_left_as_it_is_is_not(told, change):
    assert told(change, WORKER) is None


def test_what_is_filled_as_it_is_made_is_not(told):
    source = """
        class Curriculum:
            def __init__(self, start):
                self._noise = torch.zeros(1).share_memory_()
                {change}
        """
    assert told("self._noise[:] = 1", WORKER, source=source, read="self.owner._noise") is None


def test_it_may_be_shared_by_a_line_of_its_own(told):
    source = """
        class Level:
            def share(self):
                self.level.share_memory_()
            def observe(self):
                {change}
        """
    read = "self.owner.level"
    assert told("self.level.add_(1)", WORKER, source=source, read=read).line == 4
    assert told("self.other.add_(1)", WORKER, source=source, read=read) is None


def test_other_reasons_come_first(told):
    change = "self._noise += self.step"
    assert told(change) is None  # no loader has workers
    assert told(change, WORKER, entry("numpy", "draw", seeded=0)) is None
    assert told(change, WORKER, data=False) is None
    assert told(change, WORKER, entry("clock", worker=1, other_digest=2)) is None


HELD_BY_THE_DATASET = """
    class Tones(Dataset):
        def __init__(self):
            self.noise = torch.full((1,), 0.05).share_memory_()

        def __getitem__(self, index):
            return self.tones[index] + self.noise

    class Curriculum:
        def update(self, loss):
            {change}
    """


@pytest.mark.parametrize(
    ("change", "told_so"),
    [
        ("self.dataset.noise.fill_(loss)", True),
        ("data.noise += loss", True),
        ("self.dataset.level.fill_(loss)", False),
        ("noise.fill_(loss)", False),
    ],
)
def test_who_changes_it_may_call_it_by_another_way(told, change, told_so):
    cause = told(change, WORKER, source=HELD_BY_THE_DATASET, read="self.other")
    assert (cause is not None) == told_so
    if told_so:
        assert (cause.line, cause.detail) == (6, "noise")


GIVEN = """
    def main(start):
        noise = torch.tensor(start).share_memory_()
        {first}
        loader = DataLoader(Tones(3, {given}), num_workers=2)
        for batch in loader:
            train(batch)
            {change}
    """
TAKES_IT = """
    class Tones(Dataset):
        def __init__(self, count, noise):
            self.count, self.other = count, 1
            self.level = noise

        def __getitem__(self, index):
            return self.tones[index] + {read}
    """


@pytest.fixture
def given(tmp_path):
    """What is said of a tensor that a dataset is given, and keeps under another name."""

    def ask(change="noise.fill_(3)", first="pass", given="noise", read="self.level", source=""):
        made = textwrap.dedent(GIVEN).lstrip().format(change=change, first=first, given=given)
        (tmp_path / "train.py").write_text(source or made)
        (tmp_path / "tones.py").write_text(textwrap.dedent(TAKES_IT).lstrip().format(read=read))
        paths = [{"path": str(tmp_path / name)} for name in ("train.py", "tones.py")]
        run: Any = SimpleNamespace(manifest=SimpleNamespace(script=paths[0], code=paths[1:]))
        found = divergence(data=True, random=False)
        return tensor_changed_under_workers(Evidence(found=found, entries=(WORKER,)), run)

    return ask


def test_a_name_of_another_function_is_another_tensor(given, tmp_path):
    assert given(first="other = Tones(1, noise)", given="other") is not None
    text = (tmp_path / "train.py").read_text().replace("Tones(1, noise)", "None")
    more = text + "def test(noise):\n    return Tones(1, noise)\n"
    assert given(source=more) is None


@pytest.mark.parametrize("way", ["noise", "noise=noise"])
def test_a_tensor_that_a_dataset_is_given_is_read_under_its_name_there(given, way):
    cause = given(given=way)
    assert (cause.code, cause.line) == ("process-timing", 7)
    assert cause.file.endswith("tones.py")
    assert "(train.py:2), and train.py:7 changes it" in cause.evidence


@pytest.mark.parametrize(
    "ways",
    [
        {"change": "pass", "first": "noise.fill_(3)"},  # before any worker has begun
        {"change": "pass", "first": "for i in range(3): noise[i] = i"},
        {"given": "other"},
        {"read": "self.other"},
    ],
)
def test_a_tensor_that_is_not_changed_or_not_read_meanwhile_is_not_named(given, ways):
    assert given(**ways) is None
