"""Denoising diffusion of points on interlocked rings."""
import json
import pathlib
import sys
import time

import torch

from denoiser import Denoiser
from diffusion import draw_samples, training_loss
from points import energy_distance, rings
from schedules import SCHEDULES
from spec import Spec
from streams import stream

OUT = pathlib.Path("generated")


def train(net, data, spec):
    opt = torch.optim.AdamW(net.parameters(), lr=spec.lr)
    ema = {k: v.clone() for k, v in net.state_dict().items()}
    tick = time.perf_counter()
    for step in range(1, spec.steps + 1):
        x0 = data[torch.randint(len(data), (spec.batch,))]
        loss = training_loss(net, x0, spec)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for k, v in net.state_dict().items():
            ema[k].lerp_(v, 0.02)
        if step % 100 == 0:
            rate = 100 / (time.perf_counter() - tick)
            print(f"step {step:4d}  loss {loss.item():.5f}")
            print(f"{rate:.0f} it/s, {len({id(v) for v in ema.values()})} averaged tensors",
                  file=sys.stderr)
            tick = time.perf_counter()
    net.load_state_dict(ema)


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "cosine"
    spec = Spec(schedule=SCHEDULES[name])
    torch.set_num_threads(1)
    torch.manual_seed(spec.seed)
    OUT.mkdir(exist_ok=True)
    print(f"schedule {name}, {spec.levels} levels", file=sys.stderr)

    data = rings(3000, stream(spec, "data-order"))
    net = Denoiser(spec.width)
    train(net, data, spec)

    samples = draw_samples(net, 500, spec)
    reference = rings(500, torch.Generator().manual_seed(1))
    distance = energy_distance(samples, reference)
    print(f"energy distance {distance:.5f}, spread {samples.std(0).tolist()}")

    torch.save(net.state_dict(), OUT / "denoiser.pt")
    torch.save(samples, OUT / "samples.pt")
    (OUT / "score.json").write_text(json.dumps({"schedule": name, "distance": distance}))


if __name__ == "__main__":
    main()
