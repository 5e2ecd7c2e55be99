"""Node classification with mean-aggregating GraphSAGE layers on a stochastic block model."""
import torch
import torch.nn as nn
import torch.nn.functional as F

NODES, CLASSES, FEATS, HIDDEN = 3000, 4, 32, 32


def block_model(seed):
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (NODES,), generator=g)
    # a few hubs collect most of the links
    popularity = torch.rand(NODES, generator=g) ** -0.7
    src = torch.multinomial(popularity, 40000, replacement=True, generator=g)
    dst = torch.randint(NODES, (40000,), generator=g)
    same = labels[src] == labels[dst]
    keep = same | (torch.rand(40000, generator=g) < 0.25)
    src, dst = src[keep], dst[keep]
    edges = torch.stack([torch.cat([src, dst]), torch.cat([dst, src])])
    x = F.one_hot(labels, FEATS).float() * 0.8 + torch.randn(NODES, FEATS, generator=g)
    split = torch.randperm(NODES, generator=g)
    return x, labels, edges, split[:600], split[600:]


class SAGEConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.own = nn.Linear(n_in, n_out)
        self.nbr = nn.Linear(n_in, n_out, bias=False)

    def forward(self, x, edges):
        src, dst = edges
        messages = x[src]
        total = torch.zeros_like(x).index_add(0, dst, messages)
        degree = torch.bincount(dst, minlength=len(x)).clamp(min=1).unsqueeze(1)
        return self.own(x) + self.nbr(total / degree)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = SAGEConv(FEATS, HIDDEN)
        self.conv2 = SAGEConv(HIDDEN, CLASSES)

    def forward(self, x, edges):
        h = F.relu(self.conv1(x, edges))
        return self.conv2(F.dropout(h, 0.5, self.training), edges)


def main():
    torch.manual_seed(31)
    x, y, edges, train, test = block_model(31)
    print(f"{len(x)} nodes, {edges.shape[1]} edges")
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(1, 31):
        net.train()
        loss = F.cross_entropy(net(x, edges)[train], y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 10 == 0:
            net.eval()
            with torch.no_grad():
                acc = (net(x, edges).argmax(1) == y)[test].float().mean()
            print(f"epoch {epoch:3d} loss {loss.item():.9f} test acc {acc:.4f}")
    torch.save(net.state_dict(), "sage.pt")
    print("weight norm", sum(p.detach().double().norm().item() for p in net.parameters()))


if __name__ == "__main__":
    main()
