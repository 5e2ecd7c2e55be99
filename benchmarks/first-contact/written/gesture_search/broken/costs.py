"""What each candidate costs, relative to the dearest one of the network."""
import time

import torch


def macs(conv, window):
    depthwise, pointwise = conv
    per_sample = depthwise.weight.numel() + pointwise.weight.numel()
    return per_sample * window


@torch.no_grad()
def milliseconds(conv, width, window, repeats=20):
    x = torch.zeros(1, width, window)
    conv(x)
    begin = time.perf_counter()
    for _ in range(repeats):
        conv(x)
    return 1e3 * (time.perf_counter() - begin) / repeats


def layer_costs(net, window):
    """Tensor of shape (depth, candidates), with 1.0 for the dearest candidate."""
    table = torch.tensor([
        [milliseconds(conv, net.width, window) for conv in layer.candidates] for layer in net.layers
    ])
    return table / table.max()


def report(net, costs):
    for depth, layer in enumerate(net.layers):
        for k, conv, cost in zip(net.kernels, layer.candidates, costs[depth]):
            took = milliseconds(conv, net.width, 64)
            print(f"layer {depth} kernel {k:2d}: relative cost {cost:.3f}, {took:.3f} ms here")
