"""VAE of handwritten postcode digits; used further on to fill up the rarely seen digits."""
import random
import time

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

from monitor import Monitor
from vae import DigitVAE, elbo

SEED = 512
EPOCHS = 16


def evaluate(model, x):
    """ELBO at the posterior mean: no sampling."""
    model.eval()
    with torch.no_grad():
        mu, logvar = model.encode(x)
        loss, rec, kl = elbo(model.dec(mu), x, mu, logvar, 1.0)
    model.train()
    return loss.item(), rec.item(), kl.item()


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)

    digits = torch.from_numpy(load_digits().images.astype(np.float32) / 16).view(-1, 64)
    order = torch.randperm(len(digits))
    train, test = digits[order[:1500]], digits[order[1500:]]
    loader = DataLoader(TensorDataset(train), batch_size=20, shuffle=True, drop_last=True)

    model = DigitVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    monitor = Monitor(model.latent)
    print("started", time.strftime("%Y-%m-%d %H:%M:%S"), "previews in", monitor.folder.name)

    step = 0
    for epoch in range(EPOCHS):
        beta = min(1.0, 0.1 + epoch / 8)
        for (x,) in loader:
            x = torch.bernoulli(x)
            logits, mu, logvar = model(x)
            loss, rec, kl = elbo(logits, x, mu, logvar, beta)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            monitor.tick(step, model, loss.item())
    monitor.close()

    loss, rec, kl = evaluate(model, test)
    torch.save({"model": model.state_dict(), "steps": step}, "postcode_vae.pt")
    print(f"test elbo {-loss:.5f} reconstruction {rec:.5f} kl {kl:.5f}")

    torch.manual_seed(SEED + 1)
    model.eval()
    with torch.no_grad():
        extra = model.decode(torch.randn(200, model.latent))
    np.save("extra_digits.npy", extra.numpy())
    print(f"extra digits: mean ink {extra.mean().item():.6f}")


if __name__ == "__main__":
    main()
