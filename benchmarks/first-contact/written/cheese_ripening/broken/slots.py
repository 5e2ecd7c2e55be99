"""The training loop, cut into slots."""
import logging
import time

import torch
from torch.nn import functional as F

log = logging.getLogger("slots")


def epoch_order(count, seed, epoch):
    return torch.randperm(count, generator=torch.Generator().manual_seed(1000 * seed + epoch))


@torch.no_grad()
def update_ema(job, decay):
    for slow, fast in zip(job.ema.parameters(), job.model.parameters()):
        slow.lerp_(fast, 1 - decay)


@torch.no_grad()
def mean_error(model, data):
    x, y = data
    return (model(x) - y).abs().mean().item()


def run_slot(job, train, test, cfg):
    """Trains until the slot is over; says whether the job is finished."""
    deadline = time.monotonic() + cfg["slot_seconds"]
    x, y = train
    size = cfg["batch_size"]
    batches = len(x) // size
    while job.epoch < cfg["epochs"]:
        order = epoch_order(len(x), cfg["seed"], job.epoch)
        job.model.train()
        while job.batch < batches:
            if time.monotonic() > deadline:
                log.info("slot over in epoch %d, batch %d", job.epoch, job.batch)
                return False
            rows = order[job.batch * size : (job.batch + 1) * size]
            noisy = x[rows] + cfg["sensor_noise"] * torch.randn_like(x[rows])
            loss = F.smooth_l1_loss(job.model(noisy), y[rows], beta=0.1)
            job.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(job.model.parameters(), 1.0)
            job.optimizer.step()
            update_ema(job, cfg["ema"])
            job.loss_sum += loss.item()
            job.batch += 1
        job.schedule.step()
        entry = {"epoch": job.epoch, "loss": job.loss_sum / batches, "mae": mean_error(job.ema, test)}
        job.history.append(entry)
        print(f"{time.strftime('%H:%M:%S')} epoch {job.epoch:2d}  loss {entry['loss']:.6f}  pH error {entry['mae']:.5f}")
        job.epoch, job.batch, job.loss_sum = job.epoch + 1, 0, 0.0
    return True
