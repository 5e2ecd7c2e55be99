"""Rank 0: the model, the optimizer, and the validation set."""
import json
import os
import time

import torch
import torch.distributed as dist

from slip_net import SlipNet, load_gradient_vector, parameter_vector
from tactile import collate, record_grasps

VALIDATION_GRASPS = 120
EVALUATE_EVERY = 30


class Inbox:
    """The gradients that come in, one after the other.

    The cells are not in step with each other: each gets its parameters as soon as its own gradient is
    applied, and is at work on them while the gradients of others change them again.
    """

    def __init__(self, size):
        self.message = torch.zeros(size + 1)

    def take(self):
        sender = dist.recv(self.message)  # a quick cell need not wait for the slow ones
        return sender, self.message[:-1], float(self.message[-1])


@torch.no_grad()
def evaluate(model, batch, mask, labels):
    found = model(batch, mask) > 0
    slipped = labels > 0.5
    hits = int((found & slipped).sum())
    precision = hits / max(int(found.sum()), 1)
    recall = hits / max(int(slipped.sum()), 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        "accuracy": float((found == slipped).float().mean()),
    }


def serve(args):
    model = SlipNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, betas=(0.8, 0.99))
    total = args.updates * args.cells
    warmup = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: min((done + 1) / 12, 1.0) * (1.0 - 0.9 * done / total)
    )
    validation = collate(
        record_grasps(range(args.grasps, args.grasps + VALIDATION_GRASPS), args.seed)
    )
    parameters = parameter_vector(model)
    dist.broadcast(parameters, src=0)

    inbox = Inbox(parameters.numel())
    running, best, history = None, (0.0, 0), []
    began = time.perf_counter()
    for update in range(1, total + 1):
        sender, gradient, loss = inbox.take()
        load_gradient_vector(model, gradient)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        warmup.step()
        dist.send(parameter_vector(model), dst=sender)

        running = loss if running is None else 0.95 * running + 0.05 * loss
        if update % EVALUATE_EVERY == 0:
            scores = evaluate(model, *validation)
            best = max(best, (scores["f1"], -update))
            history.append({"update": update, "loss": running, **scores})
            rate = update / (time.perf_counter() - began)
            print(f"update {update:4d}  loss {running:.5f}  F1 {scores['f1']:.4f}  "
                  f"accuracy {scores['accuracy']:.4f}  ({rate:.0f} gradients/s)", flush=True)

    torch.save(model.state_dict(), os.path.join(args.out, "slip_net.pt"))
    report = {"best_f1": best[0], "best_update": -best[1], "history": history}
    with open(os.path.join(args.out, "report.json"), "w") as file:
        json.dump(report, file, indent=2)
