import itertools
import time

import torch
import torch.nn.functional as F

from teacher import jitter


class Training:
    def __init__(self, accelerator, student, teacher, optimizer, schedule, val_loader, config):
        self.accelerator = accelerator
        self.student = student
        self.teacher = teacher
        self.optimizer = optimizer
        self.schedule = schedule
        self.val_loader = val_loader
        self.config = config
        self.started = time.perf_counter()
        self.history = []

    @torch.no_grad()
    def validate(self, step):
        total = right = 0.0
        count = 0
        for images, labels in self.val_loader:
            logits = self.teacher.model(images)
            total += F.cross_entropy(logits, labels, reduction="sum").item()
            right += (logits.argmax(-1) == labels).sum().item()
            count += len(labels)
        self.schedule.step(total / count)
        self.history.append({"step": step, "loss": total / count, "accuracy": right / count})
        print(f"step {step:4d}  teacher {total / count:.6f}  accuracy {right / count:.4f}  "
              f"lr {self.optimizer.param_groups[0]['lr']:.2e}  "
              f"[{time.perf_counter() - self.started:.1f} s]")

    def step(self, labelled, unlabelled):
        images, labels = labelled
        supervised = F.cross_entropy(self.student(jitter(images)), labels)
        wanted = self.teacher.targets(jitter(unlabelled))
        guess = self.student(jitter(unlabelled)).log_softmax(dim=-1)
        loss = supervised + self.config.consistency * F.kl_div(
            guess, wanted, reduction="batchmean")
        self.optimizer.zero_grad()
        self.accelerator.backward(loss)
        self.accelerator.clip_grad_norm_(self.student.parameters(), 1.0)
        self.optimizer.step()
        self.teacher.follow(self.accelerator.unwrap_model(self.student))
        return loss.item()

    def run(self, labelled_loader, unlabelled_loader):
        labelled = itertools.chain.from_iterable(itertools.repeat(labelled_loader))
        step, losses = 0, []
        for _ in range(self.config.epochs):
            for unlabelled in unlabelled_loader:
                losses.append(self.step(next(labelled), unlabelled))
                step += 1
                if step % self.config.eval_every == 0:
                    print(f"step {step:4d}  train   {sum(losses) / len(losses):.6f}")
                    losses.clear()
                    self.validate(step)
        return step
