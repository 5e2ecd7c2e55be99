"""Links detections of the two nights to tracklets."""
import numpy as np
from scipy.spatial import cKDTree

MOTION = (2.0, -0.5)
REACH = 1.2


def link(detections):
    """Pairs of detections, one a night, that move as a main belt asteroid does."""
    first = [d for d in detections if d.night == 0]
    second = [d for d in detections if d.night == 1]
    tree = cKDTree(np.array([[d.x, d.y] for d in second]))
    aims = np.array([[d.x + MOTION[0], d.y + MOTION[1]] for d in first])
    distances, nearest = tree.query(aims, distance_upper_bound=REACH)
    taken = set()
    pairs = []
    for row in np.argsort(distances, kind="stable"):
        if not np.isfinite(distances[row]):
            break
        partner = second[nearest[row]]
        if partner not in taken:
            taken.add(partner)
            pairs.append((first[row], partner))
    return pairs


def training_table(detections):
    """Features and labels: 1 for detections in tracklets, 0 for what was left over."""
    pairs = link(detections)
    linked = {detection for pair in pairs for detection in pair}
    single = set(detections) - linked
    moving = [detection for pair in pairs for detection in pair]
    features = [detection.features() for detection in moving + list(single)]
    labels = [1.0] * len(moving) + [0.0] * len(single)
    print(f"{len(pairs)} tracklets, {len(single)} single detections")
    return np.array(features, dtype=np.float32), np.array(labels, dtype=np.float32)
