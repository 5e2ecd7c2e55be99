from formulas import FAMILIES


def material_index():
    """One row of the embedding table per raw material, the materials of a family side by side."""
    index = {}
    for family, materials in FAMILIES.items():
        for material in materials:
            index.setdefault(material, len(index))
    return index


def coverage(formulas):
    """How many different materials of each family the formulas use."""
    used = {material for materials, _, _ in formulas for material in materials}
    return {family: len(used & materials) for family, materials in FAMILIES.items()}


def shared_materials():
    seen, shared = set(), set()
    for materials in FAMILIES.values():
        shared |= seen & materials
        seen |= materials
    return shared
