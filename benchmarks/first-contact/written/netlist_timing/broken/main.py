"""Delay model for timing arcs before routing.

Generates a placed netlist with "signoff" delays, trains a regressor on the arcs that can reach the
critical endpoints, and compares the arrival times that follow from its delays with those of signoff.

    python main.py
    python main.py --gates 8000 --epochs 30
"""
import argparse
import json
import os
import time

import torch

from arcs import critical_endpoints, every_arc, training_arcs
from delay_net import DelayNet, Scaler, fit
from netlist import synthesize
from sta import arrival_times, slack_report


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gates", type=int, default=4200)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=45)
    parser.add_argument("--out", default="timing_model")
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    os.makedirs(args.out, exist_ok=True)

    began = time.perf_counter()
    netlist = synthesize(args.gates, args.seed)
    signoff = arrival_times(netlist, {arc.key: arc.delay for arc in every_arc(netlist)})
    critical = critical_endpoints(netlist, signoff, share=0.4)
    arcs = training_arcs(critical)
    print(f"{len(netlist.gates)} gates, {len(netlist.endpoints)} endpoints, {len(critical)} critical, "
          f"{len(arcs)} arcs to learn ({time.perf_counter() - began:.2f} s)")

    features = torch.tensor([arc.features for arc in arcs])
    delays = torch.tensor([arc.delay for arc in arcs])
    scaler = Scaler.of(features, delays)
    order = torch.randperm(len(arcs))
    held_out, used = order[: len(arcs) // 6], order[len(arcs) // 6:]

    model = DelayNet(features.shape[1])
    began = time.perf_counter()
    history = fit(
        model, scaler, (features[used], delays[used]), (features[held_out], delays[held_out]),
        epochs=args.epochs, batch_size=args.batch_size, lr=args.lr,
    )
    print(f"trained in {time.perf_counter() - began:.1f} s")

    everything = every_arc(netlist)
    with torch.no_grad():
        predicted = scaler.delays(model(scaler.inputs(torch.tensor([a.features for a in everything]))))
    estimate = arrival_times(
        netlist, {arc.key: delay for arc, delay in zip(everything, predicted.tolist())}
    )
    report = slack_report(netlist, signoff, estimate)
    print(f"worst arrival: signoff {report['signoff_worst']:.2f} ps, model {report['model_worst']:.2f} ps; "
          f"mean error at endpoints {report['endpoint_mae']:.3f} ps")
    print("worst endpoints of the model:", ", ".join(report["worst_endpoints"]))

    torch.save({"model": model.state_dict(), "scaler": scaler.state()}, os.path.join(args.out, "delay_net.pt"))
    with open(os.path.join(args.out, "report.json"), "w") as file:
        json.dump({"history": history, **report}, file, indent=2)


if __name__ == "__main__":
    main()
