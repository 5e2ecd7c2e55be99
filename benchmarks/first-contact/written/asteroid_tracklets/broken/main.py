"""Trains a filter that tells asteroids from spurious detections in a single exposure."""
import json
import time
from datetime import datetime, timezone

import torch
from torch.utils.data import DataLoader, TensorDataset

from linking import training_table
from survey import observe
from vetting import Vetter, purity, train_epoch

EPOCHS = 5


def main():
    torch.manual_seed(1801)
    torch.set_num_threads(1)
    features, labels = training_table(observe(asteroids=900, spurious=4000, seed=17))
    data = TensorDataset(torch.from_numpy(features), torch.from_numpy(labels))
    loader = DataLoader(data, batch_size=64, shuffle=True)
    weight = torch.tensor(float((labels == 0).sum() / (labels == 1).sum()))
    test_features, test_labels = training_table(observe(asteroids=250, spurious=1000, seed=18))
    test = torch.from_numpy(test_features), torch.from_numpy(test_labels)
    model = Vetter(features.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    log = []
    for epoch in range(EPOCHS):
        began = time.perf_counter()
        loss = train_epoch(model, loader, optimizer, weight)
        log.append({"loss": loss, "purity": purity(model, *test)})
        print(f"epoch {epoch + 1}/{EPOCHS} loss {loss:.5f} purity {log[-1]['purity']:.3f} "
              f"{time.perf_counter() - began:.2f} s")
        torch.save({"epoch": epoch, "model": model.state_dict()}, "vetter.pt")
    stamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H%M%S")
    with open(f"vetting-{stamp}.json", "w") as handle:
        json.dump(log, handle, indent=1)


if __name__ == "__main__":
    main()
