"""Renders trap photographs of a few moth species."""
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SPECIES = {
    "agrotis_exclamationis": dict(span=15, colour=(150, 120, 90), spots=1, stripes=0),
    "deilephila_elpenor": dict(span=18, colour=(170, 120, 120), spots=0, stripes=2),
    "noctua_pronuba": dict(span=17, colour=(140, 110, 70), spots=2, stripes=0),
    "biston_betularia": dict(span=16, colour=(170, 165, 155), spots=4, stripes=0),
    "opisthograptis_luteolata": dict(span=13, colour=(190, 180, 90), spots=1, stripes=1),
}
SIZE = 40


def draw_moth(look, rng):
    ground = int(rng.integers(190, 235))
    image = Image.new("RGB", (SIZE * 2, SIZE * 2), (ground, ground, int(ground * 0.97)))
    pen = ImageDraw.Draw(image)
    span = look["span"] * 2 * rng.uniform(0.75, 1.2)
    colour = tuple(int(np.clip(c + rng.normal(0, 22), 0, 255)) for c in look["colour"])
    cx, cy = SIZE + rng.normal(0, 4), SIZE + rng.normal(0, 4)
    for side in (-1, 1):
        pen.polygon([(cx, cy), (cx + side * span, cy - span * 0.5), (cx + side * span * 0.7, cy + span * 0.35)], fill=colour)
        dark = tuple(max(c - 60, 0) for c in colour)
        for _ in range(look["spots"]):
            sx, sy = cx + side * span * rng.uniform(0.25, 0.75), cy - span * rng.uniform(-0.05, 0.25)
            r = rng.uniform(1.5, 4.0)
            pen.ellipse([sx - r, sy - r, sx + r, sy + r], fill=dark)
        for k in range(look["stripes"]):
            at = 0.4 + 0.25 * k
            pen.line([(cx + side * span * at, cy - span * 0.3), (cx + side * span * at * 0.8, cy + span * 0.2)], fill=dark, width=3)
    pen.ellipse([cx - 3, cy - span * 0.3, cx + 3, cy + span * 0.4], fill=(70, 60, 50))
    image = image.rotate(float(rng.uniform(-50, 50)), fillcolor=(ground,) * 3)
    image = image.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, 1.4)))).resize((SIZE, SIZE))
    pixels = np.asarray(image, dtype=np.float32) + rng.normal(0, 9, (SIZE, SIZE, 3))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def export(root, per_species, seed):
    rng = np.random.default_rng(seed)
    for species, look in SPECIES.items():
        for night in range(per_species):
            trap = int(rng.integers(1, 9))
            folder = root / species / f"trap{trap}"
            folder.mkdir(parents=True, exist_ok=True)
            draw_moth(look, rng).save(folder / f"night{night:04d}.png")
