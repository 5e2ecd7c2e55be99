from torch.utils.data import DistributedSampler


def sampler_for(data):
    return DistributedSampler(data, shuffle=False)
