"""What the note sorter is trained with."""

SETTINGS = {
    "notes": {"count": 960, "seed": 19},
    "augment": {
        "noise_seed": 53,
        "tilt": 2,
        "stain": 0.35,
        "grain": 0.06,
    },
    "training": {
        "seed": 7,
        "epochs": 3,
        "batch": 32,
        "workers": 2,
        "rate": 2e-3,
    },
}
