"""The Lightning callback, driven by a stand-in for Trainer that calls in Lightning 2.6's order."""

from __future__ import annotations

import copy
import importlib
import sys
import types
import warnings
from types import SimpleNamespace

import pytest
import torch

from samebits import DataLoader
from samebits.errors import UsageError

from .conftest import draw

MODULE = "samebits.integrations.lightning"


LIGHTNING = ("lightning", "lightning.pytorch", "pytorch_lightning")


@pytest.fixture(params=["lightning.pytorch", "pytorch_lightning"])
def exact_resume(request, monkeypatch):
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    for name in LIGHTNING:  # it may be installed: nothing is imported but what is made up here
        monkeypatch.setitem(sys.modules, name, None)
    fake = types.ModuleType(request.param)
    fake.Callback = type("Callback", (), {})
    if "." in request.param:
        monkeypatch.setitem(sys.modules, "lightning", types.ModuleType("lightning"))
    monkeypatch.setitem(sys.modules, request.param, fake)
    found = importlib.import_module(MODULE)
    assert issubclass(found.ExactResume, fake.Callback)
    monkeypatch.delitem(sys.modules, MODULE)
    return found.ExactResume


class Fetcher:
    """Holds the loader's iterator, made anew at each `iter`."""

    def __init__(self, loader) -> None:
        self.loader = loader

    def __iter__(self):
        self.iterator = iter(self.loader)
        return self

    def __next__(self):
        return next(self.iterator)


class Trainer:
    """Two epochs; a checkpoint after each batch, and one after each epoch."""

    def __init__(self, callback, loader) -> None:
        self.callback, self.loader = callback, loader
        self.log: list[object] = []
        self.checkpoints: list[tuple[dict, int]] = []
        self.fit_loop = SimpleNamespace(
            _combined_loader=SimpleNamespace(flattened=[loader]),
            _combined_loader_states_to_load=[],
            _data_fetcher=None,
            epoch_loop=SimpleNamespace(batch_progress=SimpleNamespace(is_last_batch=False)),
        )

    def save(self, epoch: int, batch: int) -> None:
        states = [copy.deepcopy(self.loader.state_dict())]
        checkpoint = {
            "place": (epoch, batch),
            "loops": {"fit_loop": {"state_dict": {"combined_loader": states}}},
        }
        self.callback.on_save_checkpoint(self, None, checkpoint)
        self.checkpoints.append((checkpoint, len(self.log)))

    def fit(self, checkpoint=None) -> None:
        epoch, batch = (0, 0) if checkpoint is None else checkpoint["place"]
        if checkpoint is not None:
            checkpoint = copy.deepcopy(checkpoint)
            self.callback.on_load_checkpoint(self, None, checkpoint)
            states = checkpoint["loops"]["fit_loop"]["state_dict"]["combined_loader"]
            self.fit_loop._combined_loader_states_to_load = states
            if batch:  # Lightning loads them in the middle of an epoch only
                self.loader.load_state_dict(states[0])
                self.fit_loop._combined_loader_states_to_load = []
        self.fit_loop._data_fetcher = Fetcher(self.loader)
        iter(self.fit_loop._data_fetcher)
        draw()
        self.callback.on_train_start(self, None)
        first = True
        for current in range(epoch, 2):
            if not first:
                iter(self.fit_loop._data_fetcher)
            if batch == 0:
                self.callback.on_train_epoch_start(self, None)
                self.log.append(("epoch", draw()))
            self.run_epoch(current, batch)
            first, batch = False, 0
            self.log.append(("end", draw()))
            self.save(current + 1, 0)

    def run_epoch(self, epoch: int, batch: int) -> None:
        progress = self.fit_loop.epoch_loop.batch_progress
        for number in range(batch, len(self.loader)):
            progress.is_last_batch = number + 1 == len(self.loader)
            rows = next(self.fit_loop._data_fetcher)
            self.callback.on_train_batch_start(self, None, rows, number)
            self.log.append((rows.tolist(), draw()))
            if not progress.is_last_batch:
                self.save(epoch, number + 1)


def loader() -> DataLoader:
    return DataLoader(torch.arange(20), batch_size=4, shuffle=True, seed=0)


def test_a_resume_from_any_checkpoint(exact_resume):
    straight = Trainer(exact_resume(), loader())
    straight.fit()
    assert len(straight.checkpoints) == 10
    for checkpoint, so_far in straight.checkpoints:
        resumed = Trainer(exact_resume(), loader())
        resumed.fit(checkpoint)
        assert resumed.log == straight.log[so_far:], checkpoint["place"]


def test_a_checkpoint_without_generators(exact_resume):
    with pytest.warns(UserWarning, match="without ExactResume"):
        exact_resume().on_load_checkpoint(None, None, {})


def test_a_loader_that_begins_anew_is_named(exact_resume):
    trainer = Trainer(exact_resume(), torch.utils.data.DataLoader(range(4)))
    with pytest.warns(UserWarning, match="DataLoader"):
        trainer.callback.on_train_start(trainer, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Trainer(exact_resume(), loader()).callback.on_train_start(
            Trainer(exact_resume(), loader()), None
        )


def test_without_lightning(monkeypatch):
    for name in LIGHTNING:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    with pytest.raises(UsageError, match="pip install lightning"):
        importlib.import_module(MODULE)
