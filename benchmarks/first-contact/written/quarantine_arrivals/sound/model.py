"""Risk of a pest in a consignment: effects of its port and commodity, and what the papers say."""
import torch
from torch import nn


class RiskModel(nn.Module):
    def __init__(self, ports: int, commodities: int, papers: int, width: int = 24) -> None:
        super().__init__()
        self.port = nn.Parameter(torch.randn(ports, width) * 0.1)
        self.commodity = nn.Parameter(torch.randn(commodities, width) * 0.1)
        self.papers = nn.Linear(papers, width)
        self.out = nn.Sequential(nn.LayerNorm(width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, port: torch.Tensor, commodity: torch.Tensor, papers: torch.Tensor) -> torch.Tensor:
        hidden = self.port[port] + self.commodity[commodity] + self.papers(papers)
        return self.out(hidden).squeeze(-1)

    def shrinkage(self) -> torch.Tensor:
        return self.port.square().sum() + self.commodity.square().sum()
