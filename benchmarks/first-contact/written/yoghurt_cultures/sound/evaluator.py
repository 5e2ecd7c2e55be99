"""Evaluation beside the training: a thread scores models and keeps the scores in SQLite."""

import queue
import sqlite3
import threading

import torch


class Evaluator(threading.Thread):
    def __init__(self, x, y, database):
        super().__init__(name="evaluator", daemon=True)
        self.x, self.y = x, y
        self.database = database
        self.jobs = queue.Queue(maxsize=4)

    def submit(self, step, model):
        self.jobs.put((step, model))

    def finish(self):
        self.jobs.put(None)
        self.join()

    @torch.no_grad()
    def score(self, model):
        was_training = model.training
        model.eval()
        errors = [
            (model(x) - y).abs().mean(0)
            for x, y in zip(self.x.split(500), self.y.split(500))
        ]
        model.train(was_training)
        return torch.stack(errors).mean(0).tolist()

    def run(self):
        base = sqlite3.connect(self.database)
        base.execute("create table score (step integer primary key, ph real, viscosity real)")
        while (job := self.jobs.get()) is not None:
            step, model = job
            base.execute("insert into score values (?, ?, ?)", (step, *self.score(model)))
            base.commit()
        base.close()
