"""Hyper-parameter search for a small regression net that undoes a lens's distortion."""
import argparse
import json
import logging
import time

import torch

from lens import grid_points
from study import Study
from space import Space
from trial import train_once


def options():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--trials", type=int, default=9)
    ap.add_argument("--budget", type=int, default=40, help="steps of the shortest trial")
    ap.add_argument("--folder", default="search")
    ap.add_argument("--seed", type=int, default=55)
    return ap.parse_args()


def main():
    opt = options()
    torch.set_num_threads(1)
    torch.manual_seed(opt.seed)
    study = Study(opt.folder)
    logging.basicConfig(filename=study.folder / "search.log", filemode="a", level=logging.INFO,
                        format="%(asctime)s %(process)d %(message)s")
    data = grid_points(study.folder / "points.npz", n=1500)
    space = Space(opt.seed)

    best, best_net = None, None
    for number in range(opt.trials):
        params = space.propose(study.leaders(3))
        since = time.perf_counter()
        loss, net = train_once(params, data, steps=opt.budget, seed=opt.seed)
        study.record(number, params, loss)
        logging.info("trial %d took %.2f s", number, time.perf_counter() - since)
        mark = " "
        if best is None or loss < best["loss"]:
            best, best_net, mark = {"trial": number, "params": params, "loss": loss}, net, "*"
        print(f"{mark} trial {number:2d}  lr {params['lr']:.2e}  width {params['width']:3d}  "
              f"decay {params['decay']:.1e}  {params['act']:<5}  loss {loss:.6f}")

    print(f"continuing with trial {best['trial']} for {8 * opt.budget} steps")
    final, net = train_once(best["params"], data, steps=8 * opt.budget, seed=opt.seed, start=best_net)
    print(f"final loss {final:.7f}")
    torch.save(net.state_dict(), study.folder / "best.pt")
    (study.folder / "best.json").write_text(json.dumps({**best, "final": final}, indent=1))


if __name__ == "__main__":
    main()
