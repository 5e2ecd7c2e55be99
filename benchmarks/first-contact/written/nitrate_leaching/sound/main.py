import argparse
import random
import tempfile
import time
from pathlib import Path

import joblib
import numpy as np
import torch
from sklearn.metrics import r2_score
from torch import nn

from teacher import draw_fields, encoder, label, leached, train_teacher


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def rate(progress, peak=4e-3, floor=1e-4, warm=0.1):
    if progress < warm:
        return floor + (peak - floor) * progress / warm
    left = (1 - progress) / (1 - warm)
    return floor + (peak - floor) * left


class Student(nn.Module):
    def __init__(self, width, inputs):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.Dropout(0.05),
                                 nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--sampled", type=int, default=700)
    ap.add_argument("--unsampled", type=int, default=4000)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--seed", type=int, default=8)
    args = ap.parse_args()
    seed_all(args.seed)
    torch.set_default_dtype(torch.float64)

    sampled = draw_fields(args.sampled, args.seed)
    target = leached(sampled, args.seed + 1)
    began = time.perf_counter()
    pipeline = train_teacher(sampled, target, args.seed)
    print(f"forest grown in {time.perf_counter() - began:.2f} s")
    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp) / "teacher.joblib"
        joblib.dump(pipeline, path, compress=1)
        pipeline = joblib.load(path)

    pool = draw_fields(args.unsampled, args.seed + 2)
    soft = label(pipeline, pool)
    features = encoder().fit(sampled)
    x = torch.from_numpy(np.asarray(features.transform(pool), dtype=np.float64))
    y = torch.from_numpy(((soft - soft.mean()) / soft.std()).to_numpy())

    student = Student(48, x.shape[1])
    opt = torch.optim.Adam(student.parameters(), lr=2e-3)
    steps = args.epochs * -(-len(x) // 64)
    step, began = 0, time.perf_counter()
    order = torch.Generator().manual_seed(args.seed)
    for epoch in range(args.epochs):
        total = 0.0
        student.train()
        for rows in torch.randperm(len(x), generator=order).split(64):
            progress = step / steps
            for group in opt.param_groups:
                group["lr"] = rate(progress)
            loss = nn.functional.huber_loss(student(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            total += loss.item() * len(rows)
        print(f"epoch {epoch}: {total / len(x):.6f}")

    print(f"{step} steps in {time.perf_counter() - began:.2f} s")
    student.eval()
    test = draw_fields(600, args.seed + 3)
    truth = leached(test, args.seed + 4)
    with torch.no_grad():
        guess = student(torch.from_numpy(np.asarray(features.transform(test), dtype=np.float64)))
    guess = guess.numpy() * soft.std() + soft.mean()
    print(f"r2 {r2_score(truth, guess):.15f}")
    print("weights", repr(sum(p.abs().sum().item() for p in student.parameters())))


if __name__ == "__main__":
    main()
