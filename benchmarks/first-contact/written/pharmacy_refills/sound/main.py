"""Which patients will be late with their refills? Case-control sample from the warehouse, then a small network."""
import os
import pickle
import random
import tempfile
import time

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import warehouse

SEED = 8


def features(study):
    table = pd.get_dummies(study.drop(columns=["patient_id", "late"]), columns=["plan"], dtype=float)
    return table[sorted(table.columns)].to_numpy(np.float32), study["late"].to_numpy(np.float32)


def train(model, x, y, epochs=6):
    loader = DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), batch_size=64, shuffle=True,
                        generator=torch.Generator().manual_seed(SEED))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.01)
    for epoch in range(epochs):
        total = 0.0
        for batch, late in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(batch).squeeze(1), late)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch}: loss {total / len(x):.6f}")


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)

    with tempfile.TemporaryDirectory() as folder:
        base, cache = os.path.join(folder, "chain.db"), os.path.join(folder, "study.pkl")
        began = time.perf_counter()
        count = warehouse.fill(base, patients=5000, seed=SEED)
        study = warehouse.matched(base, seed=SEED)
        with open(cache, "wb") as file:
            pickle.dump(study, file)
        print(f"{count} refills, {len(study)} patients in the study, {time.perf_counter() - began:.2f} s")
        with open(cache, "rb") as file:
            study = pickle.load(file)

    x, y = features(study)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, stratify=y, random_state=SEED)
    scaler = StandardScaler().fit(x_train)
    model = nn.Sequential(nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
    train(model, scaler.transform(x_train), y_train)
    model.eval()
    with torch.no_grad():
        scores = model(torch.from_numpy(scaler.transform(x_test))).squeeze(1)
    print(f"area under the curve {roc_auc_score(y_test, scores.numpy()):.6f}")
    print("weights", float(sum(p.detach().double().abs().sum() for p in model.parameters())))


if __name__ == "__main__":
    main()
