from dataclasses import dataclass, field

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from classifier import fit_classifier, predict
from features import feature_pipeline


@dataclass
class Settings:
    folds: int = 5
    repeats: int = 2
    keep: int = 60
    epochs: int = 40
    lr: float = 2e-3
    seed: int = 0


@dataclass
class Outcome:
    auc: list = field(default_factory=list)
    models: list = field(default_factory=list)
    scores: np.ndarray = None


def cross_validate(cohort, settings):
    strata = cohort.disease.to_numpy() * 10 + cohort.centre.to_numpy()
    target = cohort.disease.to_numpy()
    outcome = Outcome(scores=np.zeros((settings.repeats, len(target))))
    for repeat in range(settings.repeats):
        seed = settings.seed + repeat
        splitter = StratifiedKFold(settings.folds, shuffle=True, random_state=seed or None)
        for fold, (train, test) in enumerate(splitter.split(cohort.counts, strata)):
            pipeline = feature_pipeline(settings.keep)
            x_train = pipeline.fit_transform(cohort.counts.iloc[train], target[train])
            x_test = pipeline.transform(cohort.counts.iloc[test])
            torch.manual_seed(1000 * seed + fold)
            model = fit_classifier(x_train, target[train], settings.epochs, settings.lr)
            outcome.scores[repeat, test] = predict(model, x_test)
            outcome.auc.append(roc_auc_score(target[test], outcome.scores[repeat, test]))
            outcome.models.append(model)
    return outcome
