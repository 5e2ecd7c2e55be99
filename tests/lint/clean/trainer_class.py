import torch


class Trainer:
    def __init__(self, seed):
        torch.manual_seed(seed)
        self.model = torch.nn.Linear(2, 2)


if __name__ == "__main__":
    print(Trainer(0).model)
