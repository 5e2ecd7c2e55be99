import torch


class HardNegatives:
    """The routes most like each other, by the model's own embedding.

    Embedding all routes at every step costs too much, so it is kept for a
    while and made again when it has become too old.
    """

    def __init__(self, encoder, holds, max_age=25, top=8):
        self.encoder = encoder
        self.holds = holds
        self.max_age = max_age
        self.top = top
        self.ranked = None
        self.made = 0
        self.calls = 0

    def refresh(self):
        was_training = self.encoder.training
        self.encoder.eval()
        with torch.no_grad():
            z = self.encoder(self.holds)
            similar = z @ z.T
            similar.fill_diagonal_(float("-inf"))
            self.ranked = similar.topk(self.top, dim=1).indices
        self.encoder.train(was_training)
        self.made = self.now()

    def now(self):
        return self.calls

    def __call__(self, route, generator):
        self.calls += 1
        if self.ranked is None or self.now() - self.made > self.max_age:
            self.refresh()
        pick = torch.randint(self.top, (len(route),), generator=generator)
        return self.ranked[route, pick]
