from scipy.spatial import cKDTree


def neighbours(hits, radius):
    tree = cKDTree([h.position() for h in hits])
    near = {}
    for hit, found in zip(hits, tree.query_ball_point([h.position() for h in hits], radius)):
        near[hit] = [hits[i] for i in found if hits[i] is not hit]
    return near


def find_tracks(hits, radius=3.2, min_hits=5):
    """Connected groups of hits, each sorted by layer."""
    near = neighbours(hits, radius)
    unassigned = set(hits)
    tracks = []
    while unassigned:
        first = unassigned.pop()
        group, front = [first], [first]
        while front:
            for other in near[front.pop()]:
                if other in unassigned:
                    unassigned.remove(other)
                    group.append(other)
                    front.append(other)
        if len(group) >= min_hits:
            tracks.append(sorted(group, key=lambda h: (h.layer, h.number)))
    return tracks
