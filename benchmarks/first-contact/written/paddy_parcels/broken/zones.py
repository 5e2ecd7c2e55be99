"""Management zones of a rice paddy, grown from cells of like soil."""
from collections import deque


class Cell:
    def __init__(self, row, column, clay, moisture):
        self.row = row
        self.column = column
        self.clay = clay
        self.moisture = moisture
        self.zone = -1
        self.beside = []


def make_cells(clay, moisture):
    rows, columns = clay.shape
    cells = [Cell(r, c, float(clay[r, c]), float(moisture[r, c]))
             for r in range(rows) for c in range(columns)]
    for cell in cells:
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            r, c = cell.row + dr, cell.column + dc
            if 0 <= r < rows and 0 <= c < columns:
                cell.beside.append(cells[r * columns + c])
    return cells


def grow_zones(cells, tolerance, largest):
    """Number the zones: each takes in the neighbours that are close to its own mean."""
    pending = set(cells)
    zones = []
    while pending:
        start = pending.pop()
        members, clay, moisture = [], 0.0, 0.0
        edge = deque([start])
        while edge:
            cell = edge.popleft()
            cell.zone = len(zones)
            members.append(cell)
            clay += cell.clay
            moisture += cell.moisture
            for other in cell.beside:
                size = len(members)
                near = (abs(other.clay - clay / size) < tolerance
                        and abs(other.moisture - moisture / size) < tolerance)
                if near and other in pending and size + len(edge) < largest:
                    pending.discard(other)
                    edge.append(other)
        zones.append((clay / len(members), moisture / len(members), len(members)))
    return zones
