"""Checkpoints that were edited under right checksums: an error, and not a bit is changed."""

from __future__ import annotations

import collections
import copy
import hashlib
import json
import random
import warnings

import numpy as np
import pytest
import torch
from torch import nn

import samebits
from samebits.errors import CheckpointError
from samebits.training.checkpoint import tensor_file
from samebits.training.checkpoint.manifest import SCHEMA, parse_sealed, seal
from samebits.training.control import register_generator, unregister_generator


class Mine:
    """An object of the person's own."""

    def __init__(self):
        self.state = {"a": [1, 2.5], "t": torch.zeros(2)}

    def state_dict(self):
        return self.state

    def load_state_dict(self, state):
        if set(state) != {"a", "t"}:
            raise ValueError("other keys")
        self.state = state


class Everything:
    """A run with a component of every kind."""

    def __init__(self, folder):
        self.streams = samebits.seed_everything(0)
        self.model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Linear(6, 2))
        self.model.register_buffer("cache", torch.zeros(3), persistent=False)
        self.model[0].bias.requires_grad_(False)
        learning = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(learning, lr=0.01)
        self.checkpoint = samebits.Checkpoint(
            folder,
            model=self.model,
            optimizer=self.optimizer,
            scheduler=torch.optim.lr_scheduler.StepLR(self.optimizer, 1),
            average=torch.optim.swa_utils.AveragedModel(self.model),
            own=np.random.default_rng(3),
            philox=np.random.Generator(np.random.Philox(3)),
            legacy=np.random.RandomState(3),
            python=random.Random(4),
            torchs=torch.Generator().manual_seed(3),
            best={"loss": 1.5, "last": collections.deque([1.0], maxlen=3), "array": np.arange(4.0)},
            loader=samebits.DataLoader(torch.arange(16), batch_size=2, seed=0),
            streams=self.streams,
            mine=Mine(),
        )

    def train(self):
        loader = self.checkpoint._components["loader"].target
        next(iter(loader))
        shift = float(self.streams.numpy("s").random()) + self.streams.python("p").random()
        noise = torch.randn(5, 4, generator=self.streams.torch("z"))
        self.model(noise + shift).square().mean().backward()
        self.optimizer.step()

    def bits(self):
        """Digests of everything that restoring may change."""
        parts = self.checkpoint._components.values()
        state = {part.name: part.capture() for part in parts}
        made = {name: state["streams"]["states"].get(name) for name in ("python/p", "numpy/s")}
        state["streams"] = made
        return (
            samebits.fingerprint(json.dumps(repr(state)).encode()),
            samebits.fingerprint([p.grad for p in self.model.parameters()]),
            samebits.fingerprint(self.model),
            random.getstate(),
            np.random.get_state()[1].tobytes(),
            samebits.fingerprint(torch.get_rng_state()),
            torch.are_deterministic_algorithms_enabled(),
            torch.get_num_threads(),
            (self.checkpoint.step, self.checkpoint.epoch),
        )


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A folder with one checkpoint."""
    folder = tmp_path_factory.mktemp("original")
    generator = torch.Generator().manual_seed(8)
    register_generator("registered", generator)
    run = Everything(folder)
    run.train()
    torch.randn(1), random.gauss(0, 1), np.random.randn()
    run.checkpoint.save()
    yield folder
    unregister_generator("registered")


class Forger:
    """Edits a copy of the checkpoint, and restores it into a run that has trained."""

    def __init__(self, original, folder):
        self.source = original / "step-00000001"
        self.folder = folder / "step-00000001"
        self.folder.mkdir(parents=True)
        content = (self.source / "checkpoint.json").read_bytes()
        self.manifest = parse_sealed(content, "", SCHEMA)
        self.tensors = bytearray((self.source / "tensors.safetensors").read_bytes())

    def write(self):
        (self.folder / "checkpoint.json").write_bytes(seal(self.manifest, SCHEMA))
        (self.folder / "tensors.safetensors").write_bytes(self.tensors)

    def reseal_header(self):
        end = len(self.tensors) - max(t[3] for t in self.manifest["tensors"]["tensors"].values())
        digest = hashlib.blake2b(self.tensors[:end], digest_size=32).hexdigest()
        self.manifest["tensors"]["header"] = digest

    def refused(self, match="", train=True):
        self.write()
        run = Everything(self.folder.parent)
        if train:
            run.train()
        before = run.bits()
        with pytest.raises(CheckpointError, match=match):
            run.checkpoint.restore()
        assert run.bits() == before


@pytest.fixture
def forger(original, tmp_path):
    return Forger(original, tmp_path / "forged")


def test_unedited_it_is_restored(forger):
    """What proves that the tests below could fail."""
    forger.write()
    run = Everything(forger.folder.parent)
    before = run.bits()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run.checkpoint.restore().step == 1
    assert run.bits() != before


def set_at(node, path, value):
    *way, last = path
    for key in way:
        node = node[key]
    if value is DELETED:
        del node[last]
    else:
        node[last] = copy.deepcopy(value)


DELETED = object()
STATE = ("components", "model", "state")
WEIGHT = (*STATE, "state_dict", "items", 0, 1)
ENTRY = ("tensors", "tensors", "model.state_dict.0.weight")
OPTIMIZER = ("components", "optimizer", "state")
FORGERIES = [
    # numbers of the manifest
    (("step",), True, "'step' is no number"),
    (("step",), -1, "'step' is no number"),
    (("step",), 10**18, "'step' is no number"),
    (("step",), 2, "says that it is of step 2"),
    (("epoch",), -1, "'epoch' is no number"),
    (("epoch",), 10**30, "'epoch' is no number"),
    (("world_size",), 0, "'world_size' is no number"),
    (("world_size",), True, "'world_size' is no number"),
    (("versions",), {"torch": 3}, "'versions' is of the wrong type"),
    (("components", "model", "state"), DELETED, "component 'model' makes no sense"),
    # the file of tensors
    ((*ENTRY, 1), [2**40, 2**40], "makes no sense"),
    ((*ENTRY, 1), [0, 2**62, 2**62], "makes no sense"),
    ((*ENTRY, 1), [4, 6], "header does not say"),
    ((*ENTRY, 2), 0.0, "places are no integers"),
    ((*ENTRY, 2), False, "places are no integers"),
    ((*ENTRY, 4), 7, "a digest is no text"),
    (("tensors", "bytes"), 10**12, "sizes do not add up|is cut off"),
    (("tensors", "bytes"), True, "sizes are no integers"),
    # values
    ((*WEIGHT, "dtype"), "float64", "makes no sense|stored otherwise"),
    ((*WEIGHT, "dtype"), "complex64", "makes no sense|stored otherwise"),
    ((*WEIGHT, "shape"), [2**31, 2**31], "makes no sense|stored otherwise"),
    ((*WEIGHT, "stride"), [2**61, 2**61], "reaches past its bytes|makes no sense"),
    ((*WEIGHT, "stride"), ["a", 1], "makes no sense"),
    ((*WEIGHT, "entry"), "nothing", "makes no sense"),
    (WEIGHT, {"$": "sharded", "name": "a", "dtype": "float32", "shape": [2]}, "several processes"),
    (WEIGHT, {"$": "device", "name": "warp:9"}, "makes no sense"),
    (WEIGHT, {"$": "scalar", "dtype": "O", "bytes": "00" * 8}, "makes no sense"),
    (WEIGHT, {"$": "set", "items": [[1]]}, "makes no sense"),
    (WEIGHT, {"$": ["x"]}, "makes no sense"),
    # a module
    (STATE, 3, "makes no sense here"),
    ((*STATE, "state_dict", "metadata"), {"": 3}, "versions of its modules make no sense"),
    ((*STATE, "gradients", "0.weight"), 3, "its gradient is no tensor"),
    ((*STATE, "buffers", ".cache"), None, "cannot be one now"),
    ((*STATE, "buffers", "0.weight"), [1], "cannot be one now"),
    ((*STATE, "training", ""), "yes", "whether it is in training"),
    ((*STATE, "frozen"), 3, "makes no sense here"),
    ((*STATE, "frozen"), ["nothing"], "is a frozen parameter in the checkpoint"),
    # others
    ((*OPTIMIZER, "param_groups"), {"a": 1}, "makes no sense here|has 1 groups"),
    ((*OPTIMIZER, "param_groups", 0, "params"), [[1]] * 5, "makes no sense here"),
    ((*OPTIMIZER, "state"), None, "makes no sense here"),
    (("components", "average", "kind"), "optimizer", "average was a optimizer"),
    (("components", "best", "state"), [["loss", 1]], "best is no dict"),
    (("components", "scheduler", "state"), 3, "scheduler refused its state"),
    (("components", "mine", "state"), {"a": 1}, "mine refused its state: ValueError"),
    (("components", "loader", "state", "taken"), -1, "loader refused its state"),
    (("components", "loader", "state", "epoch"), 2**70, "loader refused its state"),
    (("components", "loader", "state", "seed"), 2**70, "loader refused its state"),
    (("components", "streams", "state", "states"), {"nothing/x": {}}, "no kind of stream"),
    # generators
    (("components", "own", "state", "state"), {}, "own: its state makes no sense"),
    (("components", "philox", "state", "state", "buffer_pos"), 900, "its position is 900"),
    (("components", "legacy", "state", "state", "state", "pos"), 10**6, "its position is 1000000"),
    (("components", "python", "state", "state", "items", 2), "x", "second normal number"),
    (("components", "python", "state", "state", "items", 0), 9, "python: its state makes no sense"),
    (("components", "torchs", "state", "state"), None, "torchs: its state makes no sense"),
    (("generators",), 3, "generators are of another version"),
    (("generators", "streams"), 3, "generators are of another version"),
    (("generators", "python"), None, "Python's generator: its state makes no sense"),
    (("generators", "python", "items", 1, "items", 624), 10**9, "Python's generator: its state"),
    (("generators", "numpy", "state", "pos"), -3, "NumPy's generator: its position"),
    (("generators", "numpy", "bit_generator"), "PCG64", "NumPy's generator: the state is one of"),
    (("generators", "torch_cpu"), [1], "torch's generator: its state makes no sense"),
    (("generators", "torch_seed"), "x", "its seed is no number"),
    (("generators", "devices"), {"cuda": 3}, "the generators of cuda have no states"),
    (("generators", "generators", "registered"), {"kind": "torch"}, "the generator registered"),
    (("generators", "streams", "seed 0", "python/p"), 7, "the named streams of seed 0: python/p"),
    # switches
    (("surroundings",), 3, "surroundings in the checkpoint make no sense"),
    (("surroundings", "devices"), DELETED, "surroundings in the checkpoint make no sense"),
    (("surroundings", "switches", "torch-threads"), {}, "torch-threads has no value"),
    (("surroundings", "switches", "torch-threads", "saved"), 10**6, "torch-threads is 1000000"),
    (("surroundings", "switches", "torch-threads", "saved"), "x", "is kept in another form"),
    (("surroundings", "switches", "cudnn-deterministic", "reads"), {}, "reads {} in the"),
]


@pytest.mark.parametrize(
    ("path", "value", "match"),
    FORGERIES,
    ids=[f"{'.'.join(map(str, f[0]))}-{f[2]}" for f in FORGERIES],
)
def test_nonsense_under_a_right_checksum_changes_nothing(forger, path, value, match):
    set_at(forger.manifest, path, value)
    forger.refused(match)


def test_a_header_whose_length_is_another(forger):
    forger.tensors[0] ^= 1
    forger.reseal_header()
    forger.refused("header does not say")


def test_a_header_that_is_larger_than_any(forger, monkeypatch):
    monkeypatch.setattr(tensor_file, "MAX_HEADER_BYTES", 1000)
    forger.refused("sizes do not add up")


def test_a_torch_state_of_the_right_size_that_is_none(forger):
    """torch refuses it; Python's and NumPy's generators were restored by then."""
    node = forger.manifest["generators"]["torch_cpu"]
    name = node["entry"]
    _, _, begin, end, _ = forger.manifest["tensors"]["tensors"][name]
    start = len(forger.tensors) - max(t[3] for t in forger.manifest["tensors"]["tensors"].values())
    for place in range(start + begin, start + end):
        forger.tensors[place] = 255
    state = torch.full((end - begin,), 255, dtype=torch.uint8)
    forger.manifest["tensors"]["tensors"][name][4] = samebits.fingerprint(state)
    forger.refused("torch's generator: its state makes no sense")


def test_two_tensors_that_are_one_now(tmp_path):
    apart = nn.ModuleList([nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)])
    samebits.Checkpoint(tmp_path, model=apart).save()
    tied = nn.ModuleList([nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)])
    tied[1].weight = tied[0].weight
    before = samebits.fingerprint(tied)
    with pytest.raises(CheckpointError, match=r"1\.weight and model\.0\.weight are one tensor now"):
        samebits.Checkpoint(tmp_path, model=tied).restore()
    assert samebits.fingerprint(tied) == before


def test_a_schedule_that_refuses_halfway_keeps_no_attribute(tmp_path):
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    schedule.more = 1
    samebits.Checkpoint(tmp_path, zzz=schedule, mine={"a": 1}).save()
    del schedule.more

    class Refusing(dict):
        def update(self, *args, **kwargs):
            if args[0] == {"a": 1}:
                raise RuntimeError("not today")
            super().update(*args, **kwargs)

    mine = Refusing(a=2)
    run = samebits.Checkpoint(tmp_path, zzz=schedule, mine=mine)
    with pytest.raises(CheckpointError, match=r"mine was a dict, and is a .*Refusing"):
        run.restore()
    with pytest.raises(CheckpointError, match="mine refused its state: RuntimeError: not today"):
        run.restore(strict=False)
    assert not hasattr(schedule, "more")
    assert dict(mine) == {"a": 2}


ODD = [None, True, -1, 0.5, 10**30, "x", [], {}, [[]], {"$": "x"}, {"$": "int", "hex": "0xff"}]


def test_any_place_with_any_value(original, tmp_path):
    """150 more, drawn: restored, or refused with nothing changed."""
    choose = random.Random(7)
    outcomes = collections.Counter()
    for number in range(150):
        forger = Forger(original, tmp_path / str(number))
        node, way = forger.manifest, []
        while isinstance(node, (dict, list)) and node and (not way or choose.random() < 0.85):
            key = choose.choice(list(node) if isinstance(node, dict) else range(len(node)))
            way.append(key)
            node = node[key]
        set_at(forger.manifest, way, DELETED if choose.random() < 0.2 else choose.choice(ODD))
        forger.write()
        run = Everything(forger.folder.parent)
        before = run.bits()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run.checkpoint.restore()
                outcomes["restored"] += 1
            except CheckpointError:
                outcomes["refused"] += 1
                assert run.bits() == before, (number, way)
    assert outcomes["refused"] > 75
