"""SB116: a scikit-learn estimator or split that draws, without random_state."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, has_unpacking, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_DRAWING = frozenset(
    f"sklearn.{name}"
    for name in [
        "model_selection.train_test_split",
        "model_selection.ShuffleSplit",
        "model_selection.StratifiedShuffleSplit",
        "model_selection.RandomizedSearchCV",
        "ensemble.RandomForestClassifier",
        "ensemble.RandomForestRegressor",
        "ensemble.ExtraTreesClassifier",
        "ensemble.ExtraTreesRegressor",
        "ensemble.IsolationForest",
        "ensemble.BaggingClassifier",
        "ensemble.BaggingRegressor",
        "cluster.KMeans",
        "cluster.MiniBatchKMeans",
        "manifold.TSNE",
        "mixture.GaussianMixture",
        "neural_network.MLPClassifier",
        "neural_network.MLPRegressor",
        "linear_model.SGDClassifier",
        "linear_model.SGDRegressor",
        "linear_model.Perceptron",
        "random_projection.GaussianRandomProjection",
        "utils.shuffle",
        "utils.resample",
        "datasets.make_classification",
        "datasets.make_regression",
        "datasets.make_blobs",
        "datasets.make_moons",
    ]
)


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    state = argument(node, "random_state")
    if has_unpacking(node) or (state is not None and not is_constant(state, None)):
        return
    if is_constant(argument(node, "shuffle"), False):
        return
    yield Objection(
        node=node,
        message=f"{name}() without random_state draws from NumPy's global generator, never seeded",
        remedy="give it random_state=SEED",
        when=frozenset({"entry"}),
        unless=frozenset({"seeds:numpy"}),
    )


RULE = Rule(
    code="SB116",
    name="no-random-state",
    summary="scikit-learn draws without `random_state`",
    explanation="""
With random_state left out, scikit-learn's splits, forests and clusterings draw from NumPy's global
generator. Unless the program seeds that, each run splits and fits differently. random_state=SEED
makes each call reproducible by itself, whatever was drawn before.
""",
    bad="""\
from sklearn.model_selection import train_test_split

train, test = ⟦train_test_split(list(range(10)))⟧
print(len(train), len(test))
""",
    good="""\
from sklearn.model_selection import train_test_split

train, test = train_test_split(list(range(10)), random_state=0)
print(len(train), len(test))
""",
    check=check,
    calls=_DRAWING,
)
