"""Look-alikes: for every office the ones that the encoder confuses it with."""
import torch


class LookAlikes:
    def __init__(self, encoder, images, keep=4, every=15):
        self.encoder = encoder
        self.images = images
        self.keep = keep
        self.every = every
        self.built = None
        self.table = None
        self.rebuilds = 0

    def lookup(self, step, offices):
        if self.built is None or step - self.built >= self.every:
            self.rebuild()
            self.built = step
        return self.table[offices]

    @torch.no_grad()
    def rebuild(self):
        count, copies = self.images.shape[:2]
        codes = self.encoder(self.images.flatten(0, 1)).view(count, copies, -1)
        centres = torch.nn.functional.normalize(codes.mean(1), dim=1)
        similar = centres @ centres.T
        similar.fill_diagonal_(-2.0)
        self.table = similar.topk(self.keep, dim=1).indices
        self.rebuilds += 1
