from torch.utils.data import DataLoader, DistributedSampler


def train(data, epochs):
    sampler = DistributedSampler(data, seed=1)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            print(batch)
