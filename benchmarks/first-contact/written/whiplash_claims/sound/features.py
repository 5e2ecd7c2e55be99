import numpy as np
import torch
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

from claims import TARGET

NUMERIC = ["age", "delta_v", "days_to_report", "prior_claims"]
CATEGORICAL = ["body", "headrest"]


def build_encoder(seed: int) -> ColumnTransformer:
    numeric = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    firm = make_pipeline(TargetEncoder(smooth="auto", cv=folds), StandardScaler())
    return ColumnTransformer([
        ("numeric", numeric, NUMERIC),
        ("categorical", OneHotEncoder(handle_unknown="ignore", sparse_output=False), CATEGORICAL),
        ("firm", firm, ["firm"]),
    ])


def as_tensors(encoded: np.ndarray, frame) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.from_numpy(np.ascontiguousarray(encoded, dtype=np.float32))
    y = torch.tensor(frame[TARGET].to_numpy(), dtype=torch.float32)
    return x, y
