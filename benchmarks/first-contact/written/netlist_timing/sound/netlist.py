"""A placed netlist: gates, who drives whom, and the delays that signoff found."""
import math
import random

CELLS = {  # intrinsic delay in ps, drive resistance, input capacitance, inputs
    "INV": (4.0, 1.0, 1.0, 1),
    "BUF": (7.5, 0.8, 1.1, 1),
    "NAND2": (6.0, 1.3, 1.2, 2),
    "NOR2": (7.0, 1.7, 1.3, 2),
    "AOI21": (9.5, 1.9, 1.4, 3),
    "XOR2": (13.0, 1.6, 2.0, 2),
}
DRIVES = (1.0, 2.0, 4.0)
WIRE_CAP = 0.018      # per micrometre
WIRE_DELAY = 0.021


class Gate:
    """One placed cell.  Primary inputs are gates of the cell "PI" without inputs."""

    __slots__ = ("name", "cell", "drive", "x", "y", "inputs", "fanout", "level", "slew", "load")

    def __init__(self, name, cell, drive, x, y, inputs):
        self.name = name
        self.cell = cell
        self.drive = drive
        self.x = x
        self.y = y
        self.inputs = inputs
        self.fanout = []
        self.level = 1 + max((gate.level for gate in inputs), default=-1)
        self.slew = 0.0
        self.load = 0.0
        for gate in inputs:
            gate.fanout.append(self)

    def __repr__(self):
        return f"{self.name} ({self.cell}x{self.drive:.0f})"

    def distance(self, other):
        return abs(self.x - other.x) + abs(self.y - other.y)


class Netlist:
    def __init__(self, gates):
        self.gates = gates           # drivers before the gates they drive
        self.endpoints = [gate for gate in gates if not gate.fanout and gate.inputs]

    def load_of(self, gate):
        load = 0.6
        for sink in gate.fanout:
            load += CELLS[sink.cell][2] * math.sqrt(sink.drive) + WIRE_CAP * gate.distance(sink)
        return load


def pin_delay(driver, gate, pin):
    """Delay in ps of the arc from an input pin to the output, wire to the pin included."""
    intrinsic, resistance, _, _ = CELLS[gate.cell]
    stage = intrinsic * (1.0 + 0.12 * pin) + resistance / gate.drive * gate.load
    slope = 0.09 * driver.slew * (1.0 + 0.5 * math.tanh(gate.load / 8.0 - 1.0))
    wire = WIRE_DELAY * gate.distance(driver) * (1.0 + 0.004 * gate.distance(driver))
    return stage + slope + wire


def synthesize(gates, seed, inputs=160):
    rng = random.Random(seed)
    side = 6.0 * math.sqrt(gates)
    placed = []
    for number in range(inputs):
        placed.append(Gate(f"in{number}", "PI", 2.0, 0.0, rng.uniform(0.0, side), []))
    names = list(CELLS)
    for number in range(gates):
        cell = rng.choices(names, weights=(24, 8, 30, 14, 14, 10))[0]
        near = placed[-rng.choice((120, 300, 900)):]
        drivers = rng.sample(near, CELLS[cell][3])
        x = sum(driver.x for driver in drivers) / len(drivers) + rng.uniform(-4.0, 16.0)
        y = sum(driver.y for driver in drivers) / len(drivers) + rng.gauss(0.0, 25.0)
        drive = rng.choices(DRIVES, weights=(6, 3, 1))[0]
        placed.append(Gate(f"U{number}", cell, drive, x, y, drivers))
    netlist = Netlist(placed)
    for gate in placed:
        gate.load = netlist.load_of(gate)
        resistance = CELLS[gate.cell][1] if gate.cell in CELLS else 0.9
        inherited = max((driver.slew for driver in gate.inputs), default=20.0)
        gate.slew = 6.0 + 2.2 * resistance / gate.drive * gate.load + 0.15 * inherited
    return netlist
