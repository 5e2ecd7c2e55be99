"""Which parcels arrive damaged?"""
import json
import time
import uuid
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn

from features import Preparation
from model import DamageNet
from parcels import parcel_table

SEED = 404


def batches(part, size, generator):
    order = torch.randperm(len(part.target), generator=generator)
    for rows in order.split(size):
        yield part.numbers[rows], part.names[rows], part.target[rows]


def main():
    run = uuid.uuid4().hex[:8]
    print(f"run {run}, {time.strftime('%H:%M:%S')}")
    torch.manual_seed(SEED)
    table = parcel_table(14_000, SEED)
    train_rows, test_rows = train_test_split(
        np.arange(14_000), test_size=0.25, stratify=table["damaged"], random_state=SEED
    )
    preparation = Preparation(SEED).fit(table, train_rows)
    train, test = preparation.part(table, train_rows), preparation.part(table, test_rows)

    model = DamageNet(train.numbers.shape[1], preparation.sizes())
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    generator = torch.Generator().manual_seed(SEED)
    history = []
    for epoch in range(4):
        model.train()
        for numbers, names, target in batches(train, 128, generator):
            loss = nn.functional.binary_cross_entropy_with_logits(model(numbers, names), target)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            logits = model(test.numbers, test.names)
            score = nn.functional.binary_cross_entropy_with_logits(logits, test.target).item()
        history.append({"epoch": epoch, "loss": score, "auc": roc_auc_score(test.target, logits)})
        print(f"epoch {epoch}: test loss {score:.7f}, area under the curve {history[-1]['auc']:.6f}")

    torch.save(model.state_dict(), "damage.pt")
    Path("history.json").write_text(json.dumps({"run": run, "history": history}, indent=1))


if __name__ == "__main__":
    main()
