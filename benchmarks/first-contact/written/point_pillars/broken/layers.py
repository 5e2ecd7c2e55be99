from torch import nn


class VoxelPool(nn.Module):
    """Sums the features of the points that fall into each cell of a map seen from above."""

    def __init__(self, height, width):
        super().__init__()
        self.height, self.width = height, width

    def forward(self, features, rows, cols):
        canvas = features.new_zeros(self.height, self.width, features.shape[1])
        canvas = canvas.index_put((rows, cols), features, accumulate=True)
        return canvas.permute(2, 0, 1).unsqueeze(0)


class PointEncoder(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(in_dim, 24), nn.ReLU(), nn.Linear(24, out_dim))

    def forward(self, points):
        return self.net(points)
