"""Search the kernel widths of a small gesture recogniser for a wrist band.

Differentiable search (as in FBNet): every layer mixes its candidates with softmax(alpha) and the loss
is task loss + lambda * expected cost, so that cheap candidates win unless they cost accuracy.
"""
import json
import time

import torch
import torch.nn.functional as F

from costs import layer_costs, report
from data import make_windows
from space import SearchNet

CFG = dict(seed=3, channels=6, window=64, classes=6, width=16, depth=3, epochs=5, batch=40,
           lr_weights=3e-3, lr_alpha=2e-2, cost_weight=0.4)


def main(cfg=CFG):
    torch.set_num_threads(1)  # as on the band
    torch.manual_seed(cfg["seed"])
    x, y = make_windows(1000, cfg["channels"], cfg["window"], cfg["classes"])
    x_w, y_w, x_a, y_a, x_t, y_t = x[:500], y[:500], x[500:800], y[500:800], x[800:], y[800:]

    net = SearchNet(cfg["channels"], cfg["width"], cfg["depth"], cfg["classes"])
    costs = layer_costs(net, cfg["window"])
    report(net, costs)

    opt_w = torch.optim.Adam(net.weights(), lr=cfg["lr_weights"])
    opt_a = torch.optim.Adam([net.alpha], lr=cfg["lr_alpha"])

    for epoch in range(cfg["epochs"]):
        begin = time.time()
        for batch in torch.randperm(len(x_w)).split(cfg["batch"]):
            loss = F.cross_entropy(net(x_w[batch]), y_w[batch])
            opt_w.zero_grad()
            loss.backward()
            opt_w.step()

            other = torch.randint(len(x_a), (cfg["batch"],))
            expected = (net.alpha.softmax(dim=1) * costs).sum()
            objective = F.cross_entropy(net(x_a[other]), y_a[other]) + cfg["cost_weight"] * expected
            opt_a.zero_grad()
            objective.backward()
            opt_a.step()
        with torch.no_grad():
            acc = (net(x_t).argmax(1) == y_t).float().mean().item()
        print(f"epoch {epoch} loss {loss.item():.5f} cost {expected.item():.6f} acc {acc:.3f} "
              f"{time.time() - begin:.1f}s")

    chosen = [net.kernels[int(k)] for k in net.alpha.argmax(dim=1)]
    print("kernel widths:", chosen)
    torch.save({"net": net.state_dict(), "chosen": chosen}, "search.pt")
    with open("architecture.json", "w") as f:
        json.dump({"chosen": chosen, "alpha": net.alpha.tolist(), "test_accuracy": acc}, f, indent=2)


if __name__ == "__main__":
    main()
