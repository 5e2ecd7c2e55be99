from torch import nn

from spectra import BANDS


class ShadeNet(nn.Module):
    """Spectrum to L*, a*, b*; batch norm in front because the lamps age."""

    def __init__(self, hidden, dropout):
        super().__init__()
        self.norm = nn.BatchNorm1d(BANDS)
        self.net = nn.Sequential(
            nn.Linear(BANDS, hidden), nn.GELU(), nn.Dropout(dropout),
            nn.Linear(hidden, hidden), nn.GELU(), nn.Dropout(dropout),
            nn.Linear(hidden, 3))
        self.scale = (70.0, 3.0, 20.0)

    def forward(self, x):
        y = self.net(self.norm(x))
        return y * y.new_tensor((6.0, 2.0, 5.0)) + y.new_tensor(self.scale)
