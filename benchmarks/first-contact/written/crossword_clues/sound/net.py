from torch import nn

from clues import DEVICES, WORDS


class ClueNet(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.embed = nn.Embedding(len(WORDS), width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.15, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.out = nn.Linear(width, len(DEVICES))

    def forward(self, ids):
        return self.out(self.encoder(self.embed(ids)).mean(1))
