"""Which epoch a resumed run begins with, and what the loader does in it."""

from __future__ import annotations

import pytest
import torch

import samebits
from samebits.errors import UsageError
from samebits.training.checkpoint.epochs import EpochCounter


class Loader:
    """The least that a loader has to be: batches 0 to 3, an epoch, a place."""

    def __init__(self):
        self.epoch, self.place = 0, 0

    def __iter__(self):
        while self.place < 4:
            self.place += 1
            yield (self.epoch, self.place - 1)
        self.epoch, self.place = self.epoch + 1, 0

    def state_dict(self):
        return {"epoch": self.epoch, "place": self.place}

    def load_state_dict(self, state):
        self.epoch, self.place = state["epoch"], state["place"]


class Torch(samebits.DataLoader):
    def __init__(self):
        super().__init__(torch.arange(8), batch_size=2, seed=0)


def events(folder, loader, stop=None, epochs=3, at_end=False):
    """What a run of three epochs does: batches and ends of epochs, until its `stop`-th save."""
    run = samebits.Checkpoint(folder, loader=loader)
    run.restore()
    done = []
    for epoch in run.epochs(epochs):
        for batch in loader:
            done.append((epoch, str(batch)))
            run.save()
            if run.step == stop:
                return done
        done.append((epoch, "end"))
        if at_end:
            run.save()
            if run.step == stop:
                return done
    return done


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("make", [Loader, Torch])
def test_from_every_save_the_rest_is_done_and_nothing_twice(tmp_path, make, at_end):
    straight = events(tmp_path / "straight", make(), at_end=at_end)
    assert len(straight) == 15
    for stop in range(1, 13 + 3 * at_end):
        first = events(tmp_path / str(stop), make(), stop, at_end=at_end)
        rest = events(tmp_path / str(stop), make(), at_end=at_end)
        assert first + rest == straight, stop


def test_without_a_loader_an_epoch_ends_with_the_body(tmp_path):
    run = samebits.Checkpoint(tmp_path)
    seen = []
    for epoch in run.epochs(2):
        seen.append(epoch)
        run.save()
    assert seen == [0, 1]
    again = samebits.Checkpoint(tmp_path)
    assert again.restore().epoch == 1
    assert list(again.epochs(2)) == [1]
    assert list(again.epochs(2)) == []


def test_a_number_is_demanded():
    for wrong in (-1, 1.5, True, None):
        with pytest.raises(UsageError, match="epochs needs a number"):
            EpochCounter().run(wrong)


def test_a_schedule_that_steps_first_after_a_resume_gives_no_warning(tmp_path):
    def made() -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
        optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        return optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 1)

    optimizer, schedule = made()
    optimizer.step()
    samebits.Checkpoint(tmp_path, optimizer=optimizer, schedule=schedule).save()
    optimizer, schedule = made()
    samebits.Checkpoint(tmp_path, optimizer=optimizer, schedule=schedule).restore()
    schedule.step()  # as at the end of an epoch whose last batch was saved; warnings are errors
    assert schedule.last_epoch == 1
