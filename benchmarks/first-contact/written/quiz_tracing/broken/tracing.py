"""The recurrent network, its input, and its training."""

import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from torch import nn


@dataclass
class Sequences:
    items: torch.Tensor  # students x questions
    features: torch.Tensor  # students x questions x features, known before the answer
    correct: torch.Tensor  # students x questions

    def __len__(self):
        return len(self.items)

    def select(self, students):
        index = torch.tensor(students, dtype=torch.int64)
        return Sequences(self.items[index], self.features[index], self.correct[index])

    @classmethod
    def from_log(cls, log, names, tracker, students, questions):
        items = np.zeros((students, questions), dtype=np.int64)
        correct = np.zeros((students, questions), dtype=np.float32)
        features = np.zeros((students, questions, 4), dtype=np.float32)
        for entry in log:
            name = names[entry.item]
            expected, ability, difficulty = tracker.expect(entry.student, name)
            before = correct[entry.student, entry.position - 1] if entry.position else 0.5
            features[entry.student, entry.position] = (expected, ability, difficulty, before)
            items[entry.student, entry.position] = entry.item
            correct[entry.student, entry.position] = entry.correct
            tracker.learn(entry.student, name, entry.correct)
        return cls(torch.tensor(items), torch.tensor(features), torch.tensor(correct))


class TracingNet(nn.Module):
    def __init__(self, items, skills, features, item_size=10, skill_size=6, hidden=28):
        super().__init__()
        self.skills = skills
        self.item = nn.Embedding(items, item_size)
        self.skill = nn.Embedding(skills, skill_size)
        self.recurrent = nn.GRU(item_size + skill_size + features, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Dropout(0.15), nn.Linear(hidden + features, 1))

    def forward(self, items, features):
        inputs = torch.cat([self.item(items), self.skill(items % self.skills), features], dim=2)
        states, _ = self.recurrent(inputs)
        return self.out(torch.cat([states, features], dim=2)).squeeze(2)


def fit(model, train, validation, args, lr=8e-3):
    optimiser = torch.optim.Adam(model.parameters(), lr=lr)
    shuffler = torch.Generator().manual_seed(args.seed)
    best = {"epoch": -1, "loss": float("inf")}
    state = copy.deepcopy(model.state_dict())
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for picked in torch.randperm(len(train), generator=shuffler).split(args.batch):
            optimiser.zero_grad()
            logits = model(train.items[picked], train.features[picked])
            loss = F.binary_cross_entropy_with_logits(logits, train.correct[picked])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            total += loss.item() * len(picked)
        model.eval()
        with torch.no_grad():
            logits = model(validation.items, validation.features)
            held_out = F.binary_cross_entropy_with_logits(logits, validation.correct).item()
        print(f"  epoch {epoch:2d}  loss {total / len(train):.6f}  validation {held_out:.6f}")
        if held_out < best["loss"]:
            best = {"epoch": epoch, "loss": held_out}
            state = copy.deepcopy(model.state_dict())
        elif epoch - best["epoch"] >= args.patience:
            break
    model.load_state_dict(state)
    return best


def evaluate(model, part):
    """Test figures of a model, or of the Elo expectation alone."""
    truth = part.correct.numpy().reshape(-1).astype(int)
    if model is None:
        p = part.features[:, :, 0].double().numpy().reshape(-1)
    else:
        model.eval()
        with torch.no_grad():
            p = torch.sigmoid(model(part.items, part.features).double()).numpy().reshape(-1)
    return {"auc": float(roc_auc_score(truth, p)), "log_loss": float(log_loss(truth, p)),
            "brier": float(brier_score_loss(truth, p))}
