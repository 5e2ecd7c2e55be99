"""Distil a wide glyph classifier into one with a few hundred weights.

The student that is kept is the mean of its most recent snapshots.
"""
import json
import time

import numpy as np
import torch
from torch import nn

from distill.glyphs import GlyphSet
from distill.losses import soft_targets
from distill.nets import student_net, teacher_net
from distill.snapshots import Snapshots

SETTINGS = {
    "seed": 31,
    "teacher_steps": 120,
    "student_steps": 400,
    "batch": 64,
    "temperature": 3.0,
    "alpha": 0.7,
}


class Heartbeat:
    """Prints at most one line per `pause` seconds."""

    def __init__(self, label, pause=0.5):
        self.label, self.pause = label, pause
        self.began = self.spoke = time.monotonic()

    def __call__(self, step, loss):
        now = time.monotonic()
        if now - self.spoke >= self.pause:
            self.spoke = now
            print(f"  {self.label} step {step}: loss {loss.item():.4f}, {step / (now - self.began):.0f} steps/s")


def accuracy(net, glyphs):
    net.eval()
    with torch.no_grad():
        hit = (net(glyphs.images).argmax(1) == glyphs.labels).double().mean().item()
    net.train()
    return hit


def train_teacher(glyphs, cfg):
    net = teacher_net(glyphs.classes)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    beat = Heartbeat("teacher")
    for step in range(1, cfg["teacher_steps"] + 1):
        images, labels = glyphs.sample(cfg["batch"])
        loss = nn.functional.cross_entropy(net(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        beat(step, loss)
    return net.eval().requires_grad_(False)


def train_student(teacher, glyphs, snapshots, cfg):
    net = student_net(glyphs.classes)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    beat = Heartbeat("student")
    for step in range(1, cfg["student_steps"] + 1):
        images, labels = glyphs.sample(cfg["batch"])
        with torch.no_grad():
            advice = teacher(images)
        out = net(images)
        loss = (cfg["alpha"] * soft_targets(out, advice, cfg["temperature"])
                + (1 - cfg["alpha"]) * nn.functional.cross_entropy(out, labels))
        opt.zero_grad()
        loss.backward()
        opt.step()
        snapshots.offer(step, net)
        beat(step, loss)
    return net


def main():
    cfg = SETTINGS
    torch.set_num_threads(1)
    torch.manual_seed(cfg["seed"])
    train = GlyphSet(2000, np.random.default_rng([cfg["seed"], 0]))
    valid = GlyphSet(800, np.random.default_rng([cfg["seed"], 1]))
    start = time.time()
    teacher = train_teacher(train, cfg)
    print(f"teacher: {accuracy(teacher, valid):.4f}  ({time.time() - start:.2f} s)")

    with Snapshots(every=25, keep=5) as snapshots:
        start = time.time()
        student = train_student(teacher, train, snapshots, cfg)
        last = accuracy(student, valid)
        student.load_state_dict(snapshots.mean(like=student))
        print(f"student: {last:.4f}, mean of snapshots {accuracy(student, valid):.4f}  ({time.time() - start:.2f} s)")

    images, labels = valid.images, valid.labels
    with torch.no_grad():
        nll = nn.functional.cross_entropy(student(images), labels).item()
    torch.save({"student": student.state_dict(), "teacher": teacher.state_dict()}, "distilled.pt")
    with open("metrics.json", "w") as f:
        json.dump({"settings": cfg, "last_accuracy": last, "accuracy": accuracy(student, valid), "nll": nll}, f)


if __name__ == "__main__":
    main()
