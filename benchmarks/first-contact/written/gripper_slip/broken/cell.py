"""What runs in a robot cell: gradients on the grasps that were recorded there."""
import csv
import os
import time

import torch
import torch.distributed as dist
from torch.nn import functional as F

from slip_net import SlipNet, gradient_vector, load_parameter_vector, parameter_vector
from tactile import collate, record_grasps


def batches(grasps, batch_size, seed):
    """Endless, in a new order in each pass."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        order = torch.randperm(len(grasps), generator=generator).tolist()
        for begin in range(0, len(order) - batch_size + 1, batch_size):
            yield collate([grasps[number] for number in order[begin:begin + batch_size]])


def work(rank, args):
    own = range(rank - 1, args.grasps, args.cells)
    grasps = record_grasps(own, args.seed)
    model = SlipNet()
    parameters = parameter_vector(model)
    dist.broadcast(parameters, src=0)
    load_parameter_vector(model, parameters)

    log = []
    stream = batches(grasps, args.batch_size, seed=args.seed + rank)
    began = time.perf_counter()
    for update in range(args.updates):
        batch, mask, labels = next(stream)
        loss = F.binary_cross_entropy_with_logits(model(batch, mask), labels)
        model.zero_grad(set_to_none=True)
        loss.backward()
        message = torch.cat([gradient_vector(model), loss.detach().reshape(1)])
        dist.send(message, dst=0)
        dist.recv(parameters, src=0)
        load_parameter_vector(model, parameters)
        log.append((update, float(loss.detach()), round(time.perf_counter() - began, 3)))

    with open(os.path.join(args.out, f"cell-{rank}.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["update", "loss", "seconds"])
        writer.writerows(log)
