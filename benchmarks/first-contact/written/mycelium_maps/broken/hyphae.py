"""Probable hyphal links: every tip with its nearest tips, weighted by two kinds of distance."""
import logging
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
import torch
from torch_geometric.data import Data

log = logging.getLogger(__name__)


def link_plot(plot, k: int, permutations: int = 40) -> np.ndarray:
    """Nearest tips in space, confirmed by how often they are near in resampled profiles."""
    began = time.perf_counter()
    rng = np.random.default_rng(plot.first)
    space = np.linalg.norm(plot.position[:, None] - plot.position[None], axis=2)
    np.fill_diagonal(space, np.inf)
    support = np.zeros_like(space)
    for _ in range(permutations):
        columns = rng.choice(plot.profile.shape[1], 6)
        sub = plot.profile[:, columns]
        support += np.linalg.norm(sub[:, None] - sub[None], axis=2)
    near = np.argsort(space + 0.05 * support / permutations, axis=1, kind="stable")[:, :k]
    source = np.repeat(np.arange(len(near)), k)
    log.info("plot %s: %d links in %.3f s", plot.name, source.size, time.perf_counter() - began)
    return np.stack([source, near.ravel()]) + plot.first


def link_forest(plots, k: int = 6, threads: int = 4) -> np.ndarray:
    with ThreadPoolExecutor(threads, thread_name_prefix="linker") as pool:
        jobs = [pool.submit(link_plot, plot, k) for plot in plots]
        links = []
        for job in as_completed(jobs):
            links.append(job.result())
    return np.concatenate(links, axis=1)


def build_graph(plots) -> Data:
    links = torch.from_numpy(link_forest(plots))
    edge_index = torch.cat([links, links.flip(0)], dim=1)
    x = torch.from_numpy(np.concatenate([p.profile for p in plots]))
    y = torch.from_numpy(np.concatenate([p.genet for p in plots]))
    known = torch.from_numpy(np.random.default_rng(12).random(len(y)) < 0.3)
    return Data(x=x, y=y, edge_index=edge_index, known=known)
