import numpy as np
import sklearn.metrics as M
import pandas as pd

pd.set_option("display.width", 100)
np.seterr(all="ignore")


def bootstrap(scores, n=1000):
    idx = np.random.choice(len(scores), (n, len(scores)))
    return scores[idx].mean(1)


def shuffle_split(df, frac=0.2):
    m = np.random.rand(len(df)) < frac
    return df[m], df[~m]
