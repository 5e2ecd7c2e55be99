import random
from datetime import datetime

import numpy as np
import torch
from ecg.data import SyntheticECG
from ecg.model import denoiser
from torch.utils.data import DataLoader


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


def main(seed=7, epochs=3):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)

    g = torch.Generator()
    g.manual_seed(seed)
    loader = DataLoader(SyntheticECG(seed=seed), batch_size=24, shuffle=True, num_workers=2,
                        worker_init_fn=seed_worker, generator=g)
    model = denoiser()
    optim = torch.optim.Adam(model.parameters(), lr=2e-3)

    for epoch in range(epochs):
        total = 0.0
        for batch in loader:
            optim.zero_grad()
            loss = torch.nn.functional.l1_loss(model(batch["noisy"]), batch["clean"])
            loss.backward()
            optim.step()
            total += loss.item()
        print(datetime.now().strftime("%H:%M:%S"), f"epoch {epoch + 1}/{epochs}: {total / len(loader):.5f}")

    torch.save({"model": model.state_dict(), "epoch": epochs}, "ecg.pt")


if __name__ == "__main__":
    main()
