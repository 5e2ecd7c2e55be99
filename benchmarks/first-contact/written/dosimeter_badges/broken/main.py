"""Personal dose equivalent Hp(10) from thermoluminescent badge readings."""
import logging
import random
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from prep import make_scaler, read_badges, split

SEED = 1729
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger("badges")


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


def as_tensors(features, frame):
    x = torch.from_numpy(features.astype(np.float32))
    y = torch.tensor(frame["hp10"].to_numpy(), dtype=torch.float32).unsqueeze(1)
    return x, y


class DoseNet(nn.Module):
    def __init__(self, n_in, width=48):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_in, width), nn.SiLU(), nn.Dropout(0.05),
            nn.Linear(width, width), nn.SiLU(),
        )
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.body(x))


def main():
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)

    frame = read_badges(14_000, SEED)
    train, test = split(frame, SEED)
    inputs = sorted(set(frame.columns) - {"hp10"})
    scaler = make_scaler(SEED)
    x_train, y_train = as_tensors(scaler.fit_transform(train[inputs].to_numpy()), train)
    x_test, y_test = as_tensors(scaler.transform(test[inputs].to_numpy()), test)
    log.info("%d badges to train on, %d held out", len(x_train), len(x_test))

    loader = DataLoader(
        TensorDataset(x_train, y_train), batch_size=256, shuffle=True, num_workers=2,
        worker_init_fn=seed_worker, generator=torch.Generator().manual_seed(SEED),
    )
    model = DoseNet(x_train.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    for epoch in range(2):
        began = time.perf_counter()
        total = 0.0
        model.train()
        for x, y in loader:
            loss = nn.functional.smooth_l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        log.info("epoch %d took %.2f s", epoch, time.perf_counter() - began)
        print(f"epoch {epoch} train loss {total / len(x_train):.6f}")

    model.eval()
    with torch.no_grad():
        error = (model(x_test) - y_test).exp().sub(1).abs().median()
    print(f"median relative error {error.item():.5f}")
    torch.save(model.state_dict(), "dosenet.pt")


if __name__ == "__main__":
    main()
