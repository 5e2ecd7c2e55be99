"""Federated averaging over hospitals that classify heart beats; every round is archived."""
import json
import sys
import threading
import time

import torch

from archive import Archive
from beats import hospital
from federation import Server
from model import BeatNet, evaluate

ROUNDS, HOSPITALS, LOCAL_STEPS = 8, 5, 15


def log(*words):
    print("log:", time.strftime("%H:%M:%S"), threading.current_thread().name, *words,
          file=sys.stderr)


def main():
    torch.manual_seed(31)
    torch.set_num_threads(1)
    sites = [hospital(site, beats=60 + 30 * site) for site in range(HOSPITALS)]
    x, y = hospital(site=99, beats=240)
    net = BeatNet()
    server = Server(net, sites, local_steps=LOCAL_STEPS, seed=32)
    print(f"{len(sites)} hospitals, {sum(len(s[1]) for s in sites)} beats, "
          f"{sum(p.numel() for p in net.parameters())} weights")

    curve = []
    with Archive("archive", log) as archive:
        for number in range(ROUNDS):
            picked = server.choose(3)
            loss = server.round(picked)
            accuracy, test_loss = evaluate(net, x, y)
            archive.put(number, net, {"loss": loss, "test": test_loss, "accuracy": accuracy})
            curve.append(test_loss)
            print(f"round {number} sites {picked} loss {loss:.6f} "
                  f"test {test_loss:.6f} acc {accuracy:.4f}")
        closing = server.round(range(HOSPITALS))
        print(f"closing round, all sites: loss {closing:.6f}")
        final = evaluate(net, x, y)
    log(f"archived {archive.written} rounds in {archive.seconds:.3f} s")

    best = min(range(ROUNDS), key=curve.__getitem__)
    late = [archive.load(k) for k in range(ROUNDS - 3, ROUNDS)]
    mean = {k: torch.stack([state[k] for state in late]).mean(0) for k in late[0]}
    results = {"curve": curve, "best": best, "closing": final}
    for name, state in (("best", archive.load(best)), ("mean of last 3", mean)):
        net.load_state_dict(state)
        accuracy, test_loss = evaluate(net, x, y)
        results[name] = [accuracy, test_loss]
        print(f"{name}: acc {accuracy:.4f} test {test_loss:.6f}")
    torch.save(mean, "federated.pt")
    with open("results.json", "w") as f:
        json.dump(results, f)


if __name__ == "__main__":
    main()
