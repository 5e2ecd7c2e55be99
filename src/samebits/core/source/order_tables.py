"""What calls do with the order of the items that they are given."""

from __future__ import annotations

SORTING = frozenset({"sorted", "min", "max"})
"""They answer the same for the same items in any order, but for items whose keys are equal."""
FORGETTING = frozenset({"len", "set", "frozenset", "any", "all", "bool", "isinstance", "hasattr"})
"""They answer the same for the same items in any order."""
KEEPING_FIRST = frozenset({"list", "tuple", "enumerate", "iter"})
"""They give the items of their first argument on in its order."""
KEEPING_ALL = frozenset({"zip", "map", "filter"})
"""They give the items of several arguments on in their order."""
MAKING_SETS = frozenset({"builtins.set", "builtins.frozenset", "collections.Counter"})
SORTING_WORDS = ("sort", "natsort")
"""A function that has one of these in its name sorts what it is given."""
SORTING_METHODS = frozenset({"sort", "sort_values", "sort_index"})
"""They put the object itself in order."""
