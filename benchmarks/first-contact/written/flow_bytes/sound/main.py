"""flow_bytes: which application does a network flow belong to, from the first bytes it carries?

    python main.py [--width 64] [--epochs 3]
"""
import argparse
import csv
import datetime
import os
import resource
import sys
import tempfile

import torch
import torch.nn.functional as F

from flows.batching import Batcher
from flows.capture import APPS, read_capture, write_capture
from flows.net import ByteConvNet

torch.set_num_threads(1)


def say(*words):
    now = datetime.datetime.now().isoformat(sep=" ", timespec="milliseconds")
    print(now, *words, file=sys.stderr)


def confusion(net, batcher):
    """Rows: the truth; columns: the prediction."""
    net.eval()
    scores = torch.empty(len(batcher), len(APPS))
    truth = torch.empty(len(batcher), dtype=torch.long)
    at = 0
    with torch.no_grad():
        for payload, label in batcher.in_order():
            scores[at:at + len(label)] = net(payload)
            truth[at:at + len(label)] = label
            at += len(label)
    net.train()
    table = torch.zeros(len(APPS), len(APPS), dtype=torch.long)
    table.index_put_((truth, scores.argmax(1)), torch.ones_like(truth), accumulate=True)
    return table, F.cross_entropy(scores, truth).item()


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--flows", type=int, default=1500)
    ap.add_argument("--width", type=int, default=64, help="bytes of a flow that the network sees")
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--seed", type=int, default=2024)
    opt = ap.parse_args(argv)

    with tempfile.NamedTemporaryFile(suffix=".flows") as capture:
        write_capture(capture, opt.flows, opt.seed)
        capture.flush()
        say(f"capture {capture.name}: {os.path.getsize(capture.name)} bytes")
        flows = read_capture(capture.name)

    torch.manual_seed(opt.seed)
    cut = len(flows) * 4 // 5
    train = Batcher(flows[:cut], opt.batch, opt.width)
    test = Batcher(flows[cut:], 4 * opt.batch, opt.width)
    net = ByteConvNet(classes=len(APPS))
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    say("parameters:", sum(p.numel() for p in net.parameters()))

    rows = []
    for epoch in range(opt.epochs):
        running, seen = 0.0, 0
        for payload, label in train.shuffled(opt.seed + epoch):
            loss = F.cross_entropy(net(payload), label)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(label)
            seen += len(label)
        table, test_loss = confusion(net, test)
        acc = table.diagonal().sum().item() / table.sum().item()
        rows.append([epoch, running / seen, test_loss, acc])
        say(f"epoch {epoch}: train {running / seen:.4f}, test {test_loss:.4f}, accuracy {acc:.3f},",
            f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")

    with open("curve.csv", "w", newline="") as out:
        sheet = csv.writer(out)
        sheet.writerow(["epoch", "train_loss", "test_loss", "accuracy"])
        sheet.writerows(rows)
    torch.save({"net": net.state_dict(), "confusion": table, "apps": list(APPS)}, "bytenet.pt")


if __name__ == "__main__":
    main()
