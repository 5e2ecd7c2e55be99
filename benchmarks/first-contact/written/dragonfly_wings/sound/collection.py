"""Draws wings as the scanner of a museum drawer would see them."""
from PIL import Image, ImageDraw

SPECIES = ["aeshna", "libellula", "sympetrum", "cordulia"]
SIZE = 40
CROSS_VEINS = {"aeshna": 9, "libellula": 7, "sympetrum": 5, "cordulia": 6}
STIGMA = {"aeshna": 7, "libellula": 4, "sympetrum": 5, "cordulia": 3}


def draw_wing(species, rng):
    image = Image.new("L", (SIZE, SIZE), color=int(rng.integers(200, 240)))
    pen = ImageDraw.Draw(image)
    tilt = rng.uniform(-4, 4)
    top, bottom = 12 + rng.uniform(-2, 2), 28 + rng.uniform(-2, 2)
    outline = int(rng.integers(40, 110))
    pen.ellipse([2, top + tilt / 2, SIZE - 3, bottom + tilt / 2], outline=outline)
    pen.line([3, 20, SIZE - 4, 20 + tilt], fill=outline)
    veins = CROSS_VEINS[species] + int(rng.integers(-1, 2))
    for k in range(veins):
        x = 6 + (SIZE - 14) * k / max(veins - 1, 1) + rng.uniform(-0.8, 0.8)
        pen.line([x, top + 2, x + tilt / 3, bottom - 2], fill=outline + 50)
    width = STIGMA[species] + int(rng.integers(-1, 2))
    pen.rectangle([SIZE - 8 - width, top + 2, SIZE - 8, top + 4], fill=int(rng.integers(10, 60)))
    for _ in range(int(rng.integers(20, 60))):
        pen.point(tuple(int(v) for v in rng.integers(0, SIZE, 2)), fill=int(rng.integers(0, 256)))
    return image


def render_collection(root, per_species, rng):
    for species in SPECIES:
        drawer = root / species
        drawer.mkdir()
        for number in range(per_species):
            draw_wing(species, rng).save(drawer / f"specimen_{number:04d}.png")
