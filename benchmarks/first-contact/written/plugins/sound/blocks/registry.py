BLOCKS = {}


def block(cls):
    BLOCKS[cls.__name__.lower()] = cls
    return cls


def create(spec, width):
    """Makes the block that a text like 'conv:kernel=5,groups=2' asks for."""
    name, _, rest = spec.partition(":")
    if name not in BLOCKS:
        raise KeyError(f"no block {name!r}; there are {', '.join(sorted(BLOCKS))}")
    options = dict(item.split("=") for item in rest.split(",") if item)
    return BLOCKS[name](width, **{k: int(v) for k, v in options.items()})
