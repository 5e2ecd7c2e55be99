"""Does a run that is killed at any moment and started again end with the bits of one that was not?

A small but whole training (loader workers, augmentation with random, NumPy and torch, batch norm,
dropout, AdamW, scheduler, gradient accumulation, gradient scaler) runs once undisturbed. Then it is
killed by SIGKILL over and over: at random moments, at each file operation of a save, during a
resume. After every kill it is started again. Each batch, gradient and parameter that any of these
runs computes must have the bits of the undisturbed run, and so must the end. No loader worker may
outlive the training that started it.

    python benchmarks/kills.py --kills 200
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
import torch._dynamo  # what the first optimizer would import, in every child anew
from torch import nn

import samebits
from samebits.training.checkpoint import eager_file, folder, manifest, tensor_file

EPOCHS = 4
SAMPLES = 80
BATCH = 8
SAVE_EVERY = 3
PATIENCE_S = 120.0  # until a worker that goes on is one that never ends; they look every 5 s


class Noisy(torch.utils.data.Dataset[tuple[torch.Tensor, int]]):
    """Images of shape (3, 12, 12), augmented with all three libraries' generators."""

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        image = torch.full((3, 12, 12), index / SAMPLES)
        if random.random() < 0.5:
            image = image.flip(-1)
        image = image + float(np.random.normal()) * 0.1
        return image + torch.randn_like(image) * 0.1, index % 5


class Folder:
    """A training whose checkpoints and log lie in one folder."""

    def __init__(self, path: Path, *, workers: int, asynchronous: bool) -> None:
        self.path = path
        self.workers = workers
        self.asynchronous = asynchronous

    @property
    def log(self) -> Path:
        """One line a step: its number, and the digests of batch, gradients and parameters."""
        return self.path / "log"

    @property
    def end(self) -> Path:
        """The digest of everything, once the training has come to its end."""
        return self.path / "end"


def train(where: Folder, on_restore: Callable[[], None] = lambda: None) -> None:
    """The training, as a person would write it; its log aside."""
    streams = samebits.seed_everything(7)
    model = nn.Sequential(
        nn.Conv2d(3, 6, 3),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(600, 5),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    rounds = EPOCHS * SAMPLES // BATCH
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=rounds + 1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=5)
    loader = samebits.DataLoader(
        Noisy(), batch_size=BATCH, shuffle=True, num_workers=where.workers, seed=3
    )
    run = samebits.Checkpoint(
        where.path / "ckpt",
        keep=2,
        asynchronous=where.asynchronous,
        model=model,
        optimizer=optimizer,
        scheduler=scheduler,
        scaler=scaler,
        loader=loader,
    )
    on_restore()
    run.restore()
    for epoch in run.epochs(EPOCHS):
        for images, labels in loader:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(images), labels)
            noise = streams.torch("label noise")
            scaler.scale(loss * (1 + 0.01 * torch.rand((), generator=noise))).backward()
            gradients = samebits.fingerprint([p.grad for p in model.parameters()])
            if run.step % 3 == 2:
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
                scheduler.step()
            digests = [samebits.fingerprint(images), gradients, samebits.fingerprint(model)]
            with where.log.open("a") as file:
                file.write(" ".join([str(run.step), str(epoch), *digests]) + "\n")
            run.save(every=SAVE_EVERY)
        optimizer.param_groups[0]["weight_decay"] *= 1.1  # what happens between epochs counts, too
        run.save(every=1 if epoch == 1 else SAVE_EVERY)
    run.wait()
    everything = [model, optimizer, scheduler, scaler, torch.get_rng_state(), random.getstate()]
    where.end.write_text(samebits.fingerprint(everything))


class Groups:
    """The process groups of the trainings: each training leads one, and its workers are in it."""

    def __init__(self) -> None:
        self._leaders: set[int] = set()

    def add(self, leader: int) -> None:
        """Take note of a training that was started."""
        # Looked at often, so that a number is not another program's by then.
        self._leaders = {known for known in self._leaders if self._lives(known)} | {leader}

    def outlived(self) -> int:
        """How many groups have processes that do not end; they are ended."""
        until = time.monotonic() + PATIENCE_S
        while any(map(self._lives, self._leaders)) and time.monotonic() < until:
            time.sleep(0.1)
        left = [leader for leader in self._leaders if self._lives(leader)]
        for leader in left:
            os.killpg(leader, signal.SIGKILL)
        return len(left)

    @staticmethod
    def _lives(leader: int) -> bool:
        try:
            os.killpg(leader, 0)
        except ProcessLookupError:
            return False
        return True


GROUPS = Groups()


class Training:
    """A training in a process of its own; torch is not imported again for it.

    Args:
        action: What the process does.
    """

    def __init__(self, action: Callable[[], None]) -> None:
        self._status: int | None = None
        sys.stdout.flush()
        self._pid = os.fork()
        if self._pid != 0:
            GROUPS.add(self._pid)
            return
        status = 1
        try:
            os.setsid()  # a group of its own
            torch.set_num_threads(1)
            action()
            status = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)

    def kill(self) -> None:
        """End it by SIGKILL, unless it has ended."""
        if not self.has_ended():
            os.kill(self._pid, signal.SIGKILL)

    def has_ended(self) -> bool:
        """Whether it has ended, in whatever way."""
        if self._status is None:
            ended, status = os.waitpid(self._pid, os.WNOHANG)
            self._status = status if ended else None
        return self._status is not None

    def was_killed(self) -> bool:
        """Whether it was killed, and not at its end before; waits for the end of it."""
        if self._status is None:
            _, self._status = os.waitpid(self._pid, 0)
        if os.WIFSIGNALED(self._status) and os.WTERMSIG(self._status) == signal.SIGKILL:
            return True
        if self._status != 0:
            raise SystemExit(f"a training failed by itself: status {self._status}")
        return False


def die() -> NoReturn:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def die_at_file_operation(number: int) -> None:
    """From now on, let the number-th operation on a checkpoint's files be the last."""
    count = 0

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def operation(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                die()
            return original(*args, **kwargs)

        return operation

    write = os.write

    def half_written(descriptor: int, content: memoryview) -> int:
        nonlocal count
        count += 1
        if count == number:
            write(descriptor, content[: len(content) // 2])
            die()
        return write(descriptor, content)

    eager_file.os.write = half_written
    folder.force_folder = counted(folder.force_folder)
    folder.write_new = counted(folder.write_new)
    manifest.os.fsync = counted(manifest.os.fsync)
    folder.shutil.rmtree = counted(folder.shutil.rmtree)
    for name in ("rename", "replace", "mkdir", "unlink"):
        setattr(Path, name, counted(getattr(Path, name)))


def die_while_reading(number: int) -> None:
    """From now on, let the number-th tensor that is read be the last."""
    original, count = tensor_file.TensorReader.load, 0

    def load(self: Any, name: str) -> Any:
        nonlocal count
        count += 1
        if count == number:
            die()
        return original(self, name)

    tensor_file.TensorReader.load = load  # type: ignore[method-assign]


def finish(where: Folder) -> None:
    """Start the training again, and let it come to its end."""
    if Training(lambda: train(where)).was_killed():
        raise SystemExit(f"somebody else killed the training in {where.path}")


def wait_for_step(training: Training, where: Folder, step: int) -> None:
    """Until a training has written that many steps to its log, or has ended."""
    while not training.has_ended():
        if where.log.exists() and where.log.read_bytes().count(b"\n") >= step:
            return
        time.sleep(0.0005)


def killed_once(
    where: Folder, choose: random.Random, steps: int, seconds: float
) -> tuple[str, str]:
    """Start a training and kill it: what kind of kill it was ("" where it came too late), when.

    Args:
        where: What to start.
        choose: Chooses kind and moment.
        steps: How many steps it has.
        seconds: How long a step takes, about.
    """
    kind = choose.choice(["moment", "moment", "save"])
    if kind == "save":
        number = choose.randint(1, 120)

        def action() -> None:
            die_at_file_operation(number)
            train(where)

        killed = Training(action).was_killed()
        return kind if killed else "", f"at file operation {number}"
    training = Training(lambda: train(where))
    # Counted from a step of its own, so that a busy machine does not make all kills late or early.
    step = choose.randrange(steps)
    delay = choose.uniform(0, seconds if step else 8 * seconds)  # starting takes longer
    wait_for_step(training, where, step)
    time.sleep(delay)
    training.kill()
    return kind if training.was_killed() else "", f"{delay:.4f} s after step {step}"


def killed_in_resume(where: Folder, choose: random.Random) -> bool:
    """Start a training again and kill it while it reads the checkpoint, if there is one."""
    number = choose.randint(1, 40)
    return Training(lambda: train(where, lambda: die_while_reading(number))).was_killed()


def wrong_lines(where: Folder, straight: dict[int, str]) -> list[str]:
    """Steps whose digests are not those of the undisturbed run; a torn last line is passed over."""
    lines = where.log.read_text().split("\n")[:-1]
    return [line for line in lines if straight.get(int(line.split(" ", 1)[0])) != line]


def measure(kills: int, seed: int) -> dict[str, Any]:
    """Kill that many trainings, and count those that ended with other bits."""
    choose = random.Random(seed)
    wrong: list[str] = []
    killed = {"moment": 0, "save": 0, "resume": 0}
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        undisturbed = Folder(Path(place, "straight"), workers=2, asynchronous=False)
        undisturbed.path.mkdir()
        finish(undisturbed)
        seconds = time.monotonic() - began
        text = undisturbed.log.read_text().splitlines()
        straight = {int(line.split(" ", 1)[0]): line for line in text}
        for number in range(kills):
            where = Folder(
                Path(place, f"killed-{number}"), workers=number % 3, asynchronous=number % 2 == 1
            )
            where.path.mkdir()
            kind, how = killed_once(where, choose, len(straight), seconds / len(straight))
            if kind:
                killed[kind] += 1
            if number % 5 == 0 and killed_in_resume(where, choose):
                killed["resume"] += 1
                how += ", then during the resume"
            finish(where)
            if where.end.read_text() != undisturbed.end.read_text() or wrong_lines(where, straight):
                wrong.append(f"{number}: killed {how}")
    return {
        "kills": kills,
        "seed": seed,
        "interrupted": killed["moment"] + killed["save"],
        "killed": killed,
        "identical": kills - len(wrong),
        "wrong": wrong,
        "outlived": GROUPS.outlived(),
        "steps": len(straight),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep the numbers")
    chosen = parser.parse_args()
    result = measure(chosen.kills, chosen.seed)
    text = json.dumps(result, indent=1) + "\n"
    print(text, end="")
    if chosen.json is not None:
        chosen.json.write_text(text)
    raise SystemExit(1 if result["wrong"] or result["outlived"] else 0)


if __name__ == "__main__":
    main()
