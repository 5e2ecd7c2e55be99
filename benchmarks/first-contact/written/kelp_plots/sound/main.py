"""Semi-supervised cover classes of kelp plots: mean teacher, with accelerate."""
import json
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader

from plots import CLASSES, UnlabelledPlots, make_plots
from teacher import MeanTeacher, build_student
from training import Training


@dataclass
class Config:
    seed: int = 5
    epochs: int = 8
    consistency: float = 0.5
    eval_every: int = 25
    lr: float = 4e-3


def main():
    config = Config()
    torch.set_num_threads(1)
    set_seed(config.seed)
    accelerator = Accelerator(cpu=True)

    labelled = DataLoader(make_plots(200, 1), batch_size=16, shuffle=True, drop_last=True)
    unlabelled = DataLoader(UnlabelledPlots(1600, 2), batch_size=64, shuffle=True)
    val_loader = DataLoader(make_plots(400, 3), batch_size=200)

    student = build_student(len(CLASSES))
    teacher = MeanTeacher(student)
    optimizer = torch.optim.AdamW(student.parameters(), lr=config.lr)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=0.6, patience=0, threshold=0.02)
    student, optimizer, labelled, unlabelled, val_loader = accelerator.prepare(
        student, optimizer, labelled, unlabelled, val_loader)

    started = time.perf_counter()
    training = Training(
        accelerator, student, teacher, optimizer, schedule, val_loader, config)
    steps = training.run(labelled, unlabelled)
    training.validate(steps)
    print(f"{steps} steps in {time.perf_counter() - started:.1f} s")

    torch.save(teacher.model.state_dict(), "weights.pt")
    Path("result.json").write_text(json.dumps(training.history[-1], indent=2))


if __name__ == "__main__":
    main()
