import torch


def really_prepare(seed):
    torch.manual_seed(seed)
