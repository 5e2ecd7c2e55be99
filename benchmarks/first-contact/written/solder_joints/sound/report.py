"""Acceptance figures and the files of a run."""

import csv
import json

import numpy as np
from sklearn.metrics import confusion_matrix, f1_score, log_loss

from joints import CLASSES


def acceptance(probabilities, labels, threshold):
    calls = probabilities.argmax(axis=1)
    passed = probabilities[:, 0] > threshold
    good = labels == 0
    one_hot = np.eye(len(CLASSES))[labels]
    return {
        "log_loss": float(log_loss(labels, probabilities, labels=list(range(len(CLASSES))))),
        "brier": float(((probabilities - one_hot) ** 2).sum(axis=1).mean()),
        "macro_f1": float(f1_score(labels, calls, average="macro")),
        "escape_rate": float(passed[~good].mean()),
        "false_call_rate": float((~passed[good]).mean()),
        "confusion": confusion_matrix(labels, calls).tolist(),
    }


def write_predictions(path, probabilities, labels, threshold):
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["joint", "truth", "call", *(f"p_{name}" for name in CLASSES), "passed"])
        for number, (row, label) in enumerate(zip(probabilities, labels)):
            writer.writerow([number, CLASSES[label], CLASSES[int(row.argmax())],
                             *(f"{p:.6f}" for p in row), int(row[0] > threshold)])


def write_report(path, args, members, weights, threshold, result):
    content = {
        "settings": {key: str(value) for key, value in sorted(vars(args).items())},
        "members": [{"name": member.name, "val_nll": member.val_nll,
                     "multiply_adds": member.multiply_adds, "weight": float(weight)}
                    for member, weight in zip(members, weights)],
        "reject_threshold": threshold,
        "test": result,
        "timing": {member.name: {**member.latency, "training_s": member.seconds}
                   for member in members},
    }
    path.write_text(json.dumps(content, indent=2) + "\n")
