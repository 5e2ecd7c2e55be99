"""Synthetic scans of spruce boards, drawn with PIL."""
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

GRADES = ("sound", "loose", "decayed")
WIDTH, HEIGHT = 320, 96


def draw_knot(draw, x, y, radius, grade, rng):
    shade = (95, 80, 60)[grade] + int(rng.integers(-18, 19))
    box = (x - radius, y - radius, x + radius, y + radius)
    draw.ellipse(box, fill=shade)
    if grade == 1:
        start = int(rng.integers(0, 360))
        draw.arc(box, start, start + int(rng.integers(150, 330)), fill=35, width=2)
    elif grade == 2:
        for _ in range(4):
            dx, dy = rng.integers(-radius // 2, radius // 2 + 1, 2)
            draw.ellipse((x + dx - 2, y + dy - 2, x + dx + 2, y + dy + 2), fill=int(rng.integers(30, 70)))


def scan_board(knots, rng):
    """One board with its knots: the image, and a list of (x, y, grade)."""
    grain = 165 + 14 * np.sin(np.linspace(0, rng.uniform(8, 20), HEIGHT))[:, None] + rng.normal(0, 7, (HEIGHT, WIDTH))
    image = Image.fromarray(np.clip(grain, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    found = []
    for slot in range(knots):
        x = int((slot + 0.5) * WIDTH / knots + rng.integers(-6, 7))
        y = int(rng.integers(26, HEIGHT - 26))
        grade = int(rng.integers(0, len(GRADES)))
        draw_knot(draw, x, y, int(rng.integers(6, 11)), grade, rng)
        found.append((x, y, grade))
    return image.filter(ImageFilter.GaussianBlur(0.8)), found
