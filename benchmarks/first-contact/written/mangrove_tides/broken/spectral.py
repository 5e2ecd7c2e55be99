"""Where a gauge sits in the creek, as the smoothest eigenvectors of the graph of neighbours."""
import numpy as np
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import kneighbors_graph


def neighbour_graph(places, k):
    graph = kneighbors_graph(places, k, mode="distance")
    graph.data = np.exp(-(graph.data / graph.data.mean()) ** 2)
    return graph.maximum(graph.T)


def positions(graph, size):
    smooth = laplacian(graph, normed=True)
    values, vectors = eigsh(smooth, k=size + 1, which="SA")
    order = np.argsort(values)[1:]
    scale = np.sqrt(graph.shape[0])
    return (vectors[:, order] * scale).astype(np.float32), values[order]
