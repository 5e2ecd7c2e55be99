"""Sparse codes of the reflectance spectra of violin varnishes.

A batch is cut into slices, whose gradients are computed by a pool of threads and added up.
"""
import argparse
import hashlib
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from shrink import ShrinkLayer


def make_spectra(count, bands, seed):
    generator = torch.Generator().manual_seed(seed)
    wavelength = torch.linspace(0, 1, bands)
    centre = torch.rand(10, 1, generator=generator)
    pigments = torch.exp(-((wavelength - centre) / 0.07) ** 2)
    amount = torch.rand(count, 10, generator=generator) * (torch.rand(count, 10, generator=generator) < 0.3)
    spectra = 0.8 - 0.5 * amount @ pigments
    return spectra + 0.01 * torch.randn(count, bands, generator=generator)


class Coder(nn.Module):
    def __init__(self, bands, codes):
        super().__init__()
        self.encode = nn.Linear(bands, codes)
        self.shrink = ShrinkLayer(codes)
        self.decode = nn.Sequential(nn.Linear(codes, 128), nn.GELU(), nn.Linear(128, bands))

    def forward(self, spectra):
        codes = self.shrink(self.encode(spectra))
        return self.decode(codes), codes


def slice_gradients(model, spectra):
    decoded, codes = model(spectra)
    loss = nn.functional.mse_loss(decoded, spectra) + 2e-3 * codes.abs().mean()
    return loss.detach(), torch.autograd.grad(loss, list(model.parameters()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=110)
    parser.add_argument("--slices", type=int, default=4)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=21)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    spectra = make_spectra(4096, 160, args.seed)
    train, held = spectra[512:], spectra[:512]
    model = Coder(bands=160, codes=192)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    draws = torch.Generator().manual_seed(args.seed + 1)

    began = time.perf_counter()
    with ThreadPoolExecutor(args.threads, thread_name_prefix="slice") as pool:
        for step in range(args.steps):
            rows = torch.randint(len(train), (args.slices * 128,), generator=draws)
            results = list(pool.map(lambda part: slice_gradients(model, train[part]), rows.chunk(args.slices)))
            for index, parameter in enumerate(model.parameters()):
                parameter.grad = sum(gradients[index] for _, gradients in results) / args.slices
            optimizer.step()
            if step % 40 == 0:
                mean = sum(loss.item() for loss, _ in results) / args.slices
                print(f"step {step}: loss {mean:.7f}")
    print(f"{args.steps / (time.perf_counter() - began):.1f} steps/s")

    with torch.no_grad():
        decoded, codes = model(held)
        error = nn.functional.mse_loss(decoded, held).item()
    digest = hashlib.sha256()
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    print(f"active codes {(codes != 0).float().mean().item():.6f}")
    print(f"held-out error {error:.10f}, weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
