"""What `Checkpoint` saves, restores, refuses and says."""

from __future__ import annotations

import gc
import random
import warnings

import numpy as np
import pytest
import torch
from torch import nn

import samebits
from samebits.errors import CheckpointError, ResumeWarning, UsageError
from samebits.training.control import register_generator, unregister_generator


class Run:
    """A small training with everything in it."""

    def __init__(self, folder, *, seed=0, width=6, **options):
        self.streams = samebits.seed_everything(seed)
        self.model = nn.Sequential(
            nn.Linear(4, width), nn.BatchNorm1d(width), nn.Dropout(0.4), nn.Linear(width, 2)
        )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, max_lr=0.1, total_steps=50
        )
        self.scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        self.average = torch.optim.swa_utils.AveragedModel(self.model)
        self.own = np.random.default_rng(3)
        self.best = {"loss": float("inf"), "history": []}
        self.checkpoint = samebits.Checkpoint(
            folder,
            model=self.model,
            optimizer=self.optimizer,
            scheduler=self.scheduler,
            scaler=self.scaler,
            average=self.average,
            own=self.own,
            best=self.best,
            **options,
        )

    def step(self):
        x = torch.randn(5, 4) * random.random() + float(np.random.rand())
        x = x + float(self.streams.numpy("shift").random()) + float(self.own.normal())
        loss = self.model(x).square().mean()
        self.scaler.scale(loss).backward()
        if self.checkpoint.step % 3 == 2:
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad()
            self.scheduler.step()
            self.average.update_parameters(self.model)
        self.best["loss"] = min(self.best["loss"], loss.item())
        self.best["history"].append(loss.item())

    def steps(self, count, every=1):
        for _ in range(count):
            self.step()
            self.checkpoint.save(every=every)
        self.checkpoint.wait()

    def bits(self):
        return samebits.fingerprint(
            [
                self.model,
                [p.grad for p in self.model.parameters()],
                self.optimizer,
                self.scheduler,
                self.scaler,
                self.average,
                self.best,
                torch.get_rng_state(),
                random.getstate(),
                float(np.random.rand()),
                float(self.own.random()),
                float(self.streams.numpy("shift").random()),
            ]
        )


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("stop", [4, 5, 6])
def test_a_resumed_run_ends_with_the_same_bits(tmp_path, stop, asynchronous):
    straight = Run(tmp_path / "a", asynchronous=asynchronous)
    straight.steps(10)
    wanted = straight.bits()
    del straight
    first = Run(tmp_path / "b", asynchronous=asynchronous)
    first.steps(stop)
    del first
    resumed = Run(tmp_path / "b", asynchronous=asynchronous)
    random.random(), torch.rand(3), resumed.own.random(), resumed.streams.numpy("shift").random()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        restored = resumed.checkpoint.restore()
    assert restored.step == stop
    resumed.steps(10 - stop)
    assert resumed.bits() == wanted


@pytest.mark.parametrize(
    "part", ["model", "optimizer", "scheduler", "scaler", "average", "own", "best"]
)
def test_without_a_part_the_bits_differ(tmp_path, part):
    """What proves that the test above could fail."""
    straight = Run(tmp_path / "a")
    straight.steps(10)
    wanted = straight.bits()
    Run(tmp_path / "b").steps(5)
    resumed = Run(tmp_path / "b")
    del resumed.checkpoint._components[part]
    with pytest.warns(ResumeWarning, match=rf"{part} .* was not given now"):
        resumed.checkpoint.restore(strict=False)
    resumed.steps(5)
    assert resumed.bits() != wanted


def test_nothing_happens_on_the_first_start(tmp_path):
    run = Run(tmp_path / "none")
    before = run.bits()
    again = Run(tmp_path / "none")
    assert again.checkpoint.restore() is None
    assert again.bits() == before
    assert not (tmp_path / "none").exists()


def test_saving_leaves_no_mark(tmp_path):
    a, b = Run(tmp_path / "a"), None
    for _ in range(4):
        a.step()
    wanted = a.bits()
    b = Run(tmp_path / "b")
    for _ in range(4):
        b.step()
        b.checkpoint.save()
        b.checkpoint.step = 0  # the training asks for it
    assert b.bits() == wanted


def test_every_and_keep(tmp_path):
    run = Run(tmp_path / "c", keep=2)
    run.steps(10, every=3)
    assert sorted(p.name for p in (tmp_path / "c").iterdir() if p.name[0] != ".") == [
        "latest",
        "step-00000006",
        "step-00000009",
    ]
    assert Run(tmp_path / "c").checkpoint.restore().step == 9


def test_a_step_that_is_saved_again_takes_a_new_name(tmp_path):
    run = Run(tmp_path / "c")
    run.steps(3)
    again = Run(tmp_path / "c")
    again.checkpoint.restore(tmp_path / "c" / "step-00000002")
    again.steps(1)
    names = sorted(p.name for p in (tmp_path / "c").iterdir() if p.name.startswith("step"))
    assert names == ["step-00000001", "step-00000002", "step-00000003-2"]
    assert Run(tmp_path / "c").checkpoint.restore().path.name == "step-00000003-2"


def test_a_certain_checkpoint_or_folder_can_be_named(tmp_path):
    Run(tmp_path / "c").steps(3)
    run = Run(tmp_path / "other")
    assert run.checkpoint.restore(tmp_path / "c").step == 3
    assert run.checkpoint.restore(tmp_path / "c" / "step-00000001").step == 1


def fails_without_a_trace(run, match, **options):
    """Restoring fails, and nothing in memory is changed."""
    before = [samebits.fingerprint(x) for x in (run.model, run.optimizer, run.scheduler)]
    rng = torch.get_rng_state(), random.getstate()
    with pytest.raises(CheckpointError, match=match):
        run.checkpoint.restore(**options)
    assert [samebits.fingerprint(x) for x in (run.model, run.optimizer, run.scheduler)] == before
    assert torch.equal(rng[0], torch.get_rng_state())
    assert rng[1] == random.getstate()
    assert run.checkpoint.step == 0


def test_other_shapes_are_named(tmp_path):
    Run(tmp_path / "c").steps(2)
    fails_without_a_trace(
        Run(tmp_path / "c", width=7),
        r"does not fit this run; nothing was changed:\n"
        r"  model\.(0|1|3)\.\w+ has shape .* in the checkpoint",
    )


def test_missing_and_extra_keys_are_named(tmp_path):
    Run(tmp_path / "c").steps(2)
    run = Run(tmp_path / "c")
    run.model.add_module("head", nn.Linear(2, 1))
    run.model[0].register_parameter("bias", None)
    fails_without_a_trace(
        run,
        r"(?s)model\.0\.bias is a parameter or buffer in the checkpoint, and not now"
        r".*model\.head\.weight is a parameter or buffer now, and missing in the checkpoint",
    )


def test_another_dtype_is_named(tmp_path):
    Run(tmp_path / "c").steps(1)
    run = Run(tmp_path / "c")
    run.model[0].double()
    fails_without_a_trace(run, r"model\.0\.\w+ has dtype torch.float32 in the checkpoint")


def test_another_number_of_parameters_in_the_optimizer_is_named(tmp_path):
    Run(tmp_path / "c").steps(1)
    run = Run(tmp_path / "c")
    run.optimizer.param_groups[0]["params"].pop()
    fails_without_a_trace(run, r"optimizer\.param_groups\.0\.params has 6 parameters in the check")


def test_parameters_in_another_order_are_noticed(tmp_path):
    Run(tmp_path / "c").steps(3)
    run = Run(tmp_path / "c")
    run.optimizer.param_groups[0]["params"].reverse()
    fails_without_a_trace(run, r"optimizer\.state\.0\.exp_avg has shape \[6, 4\] in the checkpoint")


def test_another_component_is_named(tmp_path):
    Run(tmp_path / "c").steps(1)
    run = Run(tmp_path / "c")
    run.checkpoint._components.pop("scheduler")
    other = torch.optim.lr_scheduler.StepLR(run.optimizer, 3)
    run.checkpoint.register("scheduler", other)
    fails_without_a_trace(run, "scheduler was a OneCycleLR, and is a StepLR")
    run.checkpoint._components.pop("scheduler")
    fails_without_a_trace(run, r"scheduler \(OneCycleLR\) is in the checkpoint, and was not given")


def test_streams_of_another_seed_are_named(tmp_path):
    run = Run(tmp_path / "c")
    run.steps(1)
    del run
    gc.collect()
    fails_without_a_trace(Run(tmp_path / "c", seed=5), "named streams of seed 0 are not there")


def test_a_registered_generator_is_part_of_it(tmp_path):
    generator = torch.Generator().manual_seed(9)
    register_generator("noise", generator)
    try:
        run = Run(tmp_path / "c")
        run.steps(1)
        drawn = torch.rand(3, generator=generator)
        run.checkpoint.restore()
        assert torch.equal(torch.rand(3, generator=generator), drawn)
    finally:
        unregister_generator("noise")
    fails_without_a_trace(Run(tmp_path / "c"), "the generator noise is not registered")


class Refusing:
    def __init__(self):
        self.value = 1
        self.refuse = False

    def state_dict(self):
        return {"value": self.value}

    def load_state_dict(self, state):
        self.value = state["value"]
        if self.refuse:
            raise RuntimeError("not today")


def test_when_one_refuses_the_others_are_put_back(tmp_path):
    run = Run(tmp_path / "c")
    mine = Refusing()
    run.checkpoint.register("zzz", mine)
    run.steps(2)
    again = Run(tmp_path / "c")
    mine.value, mine.refuse = 5, True

    def load(state):
        if len(loads) == 0:
            loads.append(state)
        mine.value = state["value"]
        if len(loads) == 1 and state["value"] == 1:
            raise RuntimeError("not today")

    loads: list = []
    mine.load_state_dict = load
    again.checkpoint.register("zzz", mine)
    fails_without_a_trace(again, "zzz refused its state: RuntimeError: not today")
    assert mine.value == 5


class Hooked(nn.Linear):
    """A module whose loading fails after it has begun."""

    fail = False

    def _load_from_state_dict(self, *args, **kwargs):
        super()._load_from_state_dict(*args, **kwargs)
        if self.fail:
            raise RuntimeError("halfway")


def test_a_module_that_fails_halfway_is_put_back(tmp_path):
    model = nn.Sequential(nn.Linear(2, 2), Hooked(2, 2))
    run = samebits.Checkpoint(tmp_path, model=model)
    run.save()
    with torch.no_grad():
        model[0].weight.add_(1)
    before = samebits.fingerprint(model)
    model[1].fail = True
    undoing = model[1].load_state_dict

    with pytest.raises((CheckpointError, RuntimeError)):
        run.restore()
    model[1].fail = False
    del undoing
    assert samebits.fingerprint(model) == before


def test_gradients_modes_and_frozen_parameters(tmp_path):
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(), nn.Linear(3, 1))
    model.register_buffer("cache", torch.zeros(2), persistent=False)
    model(torch.randn(2, 3)).sum().backward()
    model[2].bias.grad = None
    model[1].eval()
    model[0].weight.requires_grad_(False)
    model.cache = torch.ones(2)
    wanted = model[0].weight.grad.clone()
    run = samebits.Checkpoint(tmp_path, model=model)
    run.save()
    model.zero_grad()
    model[2].bias.grad = torch.ones(1)
    model.train().requires_grad_(True)
    model.cache = torch.zeros(2)
    run.restore()
    assert torch.equal(model[0].weight.grad, wanted)
    assert model[2].bias.grad is None
    assert [m.training for m in model] == [True, False, True]
    assert [p.requires_grad for p in model.parameters()] == [False, True, True, True]
    assert model.cache.tolist() == [1, 1]


def test_the_memory_format_of_parameters_comes_back(tmp_path):
    model = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    samebits.Checkpoint(tmp_path, model=model).save()
    other = nn.Conv2d(3, 4, 3)
    samebits.Checkpoint(tmp_path, model=other).restore()
    assert other.weight.stride() == model.weight.stride()
    assert torch.equal(other.weight, model.weight)


class KeepsWide(torch.optim.SGD):
    """An optimizer that keeps state in another precision than its parameters, and text."""

    def step(self, closure=None):
        super().step(closure)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["wide"] = p.detach().double() / 3
                self.state[p]["codes"] = torch.arange(3, dtype=torch.uint8)
                self.state[p]["note"] = "text"
                self.state[p]["nested"] = [{"a": (1, None)}]


def test_optimizer_state_of_another_dtype_keeps_its_bits(tmp_path, same_bits):
    model = nn.Linear(2, 2).to(torch.bfloat16)
    optimizer = KeepsWide(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.randn(3, 2, dtype=torch.bfloat16)).sum().backward()
    optimizer.step()
    wanted = optimizer.state_dict()
    samebits.Checkpoint(tmp_path, model=model, optimizer=optimizer).save()
    fresh = nn.Linear(2, 2).to(torch.bfloat16)
    other = KeepsWide(fresh.parameters(), lr=0.3)
    samebits.Checkpoint(tmp_path, model=fresh, optimizer=other).restore()
    assert same_bits(other.state_dict(), wanted)


@pytest.fixture
def settings_put_back(tmp_path):
    """A restored checkpoint sets torch's switches for good: another one puts them back."""
    cudnn, matmul = torch.backends.cudnn, torch.backends.cuda.matmul
    before = samebits.Checkpoint(tmp_path / "before")
    before.save()
    read = cudnn.allow_tf32, cudnn.deterministic, matmul.allow_fp16_reduced_precision_reduction
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResumeWarning)
        before.restore()
    after = cudnn.allow_tf32, cudnn.deterministic, matmul.allow_fp16_reduced_precision_reduction
    assert (read, torch.are_deterministic_algorithms_enabled()) == (after, False)


def test_switches_come_back(tmp_path, settings_put_back):
    with samebits.deterministic():
        torch.set_num_threads(1)
        run = Run(tmp_path / "c")
        run.steps(1)
    torch.set_num_threads(2)
    assert not torch.are_deterministic_algorithms_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResumeWarning)
        Run(tmp_path / "c").checkpoint.restore()
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize("options", [{"keep": 0}, {"keep": True}, {"keep": "3"}])
def test_wrong_options(tmp_path, options):
    with pytest.raises(UsageError, match="keep must be"):
        samebits.Checkpoint(tmp_path, **options)


def test_what_has_no_state_is_refused_with_advice(tmp_path):
    with pytest.raises(UsageError, match=r"loader is a .*, which does not know its place"):
        samebits.Checkpoint(tmp_path, loader=torch.utils.data.DataLoader([1, 2]))
    with pytest.raises(UsageError, match=r"thing is a builtins\.int"):
        samebits.Checkpoint(tmp_path, thing=3)
    model = nn.Linear(1, 1)
    with pytest.raises(UsageError, match="b is the same object as a"):
        samebits.Checkpoint(tmp_path, a=model, b=model)
    run = samebits.Checkpoint(tmp_path)
    with pytest.raises(UsageError, match="every must be"):
        run.save(every=0)


def test_what_cannot_be_stored_is_named(tmp_path):
    run = samebits.Checkpoint(tmp_path, mine={"deep": [object()]})
    with pytest.raises(CheckpointError, match=r"mine\.deep\.0 is a builtins\.object"):
        run.save()
    assert not tmp_path.exists() or not list(tmp_path.glob("step*"))


def test_missing_names_live_generators_and_trainers(tmp_path):
    class Augment:
        def __init__(self):
            self.rng = np.random.default_rng(0)
            self.noise = torch.Generator()

    class Plain(torch.optim.SGD):
        pass

    augment = Augment()
    optimizer = Plain([torch.ones(1, requires_grad=True)])
    run = samebits.Checkpoint(tmp_path)
    told = "\n".join(run.missing())
    assert "numpy.random.Generator at" in told
    assert "Augment.rng" in told
    assert "torch.Generator" in told
    assert "Plain" in told
    run.register("augment", augment.rng)
    run.register("noise", augment.noise)
    run.register("optimizer", optimizer)
    told = "\n".join(run.missing())
    assert "Augment" not in told
    assert "Plain" not in told


def test_streams_that_go_while_a_checkpoint_is_collected_are_no_trouble(tmp_path):
    class Holder:
        """Lets its streams go when it is asked for its state."""

        def __init__(self):
            self.streams = samebits.training.control.streams.Streams(987)
            self.streams.numpy("noise").random()

        def state_dict(self):
            self.streams = None
            gc.collect()
            return {}

        def load_state_dict(self, state):
            pass

    run = samebits.Checkpoint(tmp_path, holder=Holder())
    assert run.save() is not None
