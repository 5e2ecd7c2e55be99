from torch.utils.data import DataLoader


def build(data, **options):
    return DataLoader(data, **options)
