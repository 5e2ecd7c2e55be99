"""Table of lupin plots -> model matrix."""
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler, TargetEncoder

CATEGORIES = ["farm", "cultivar", "previous_crop"]
NUMBERS = ["sown_day", "ph", "rain_spring", "rain_ratio", "farm_area_share"]


def add_weather(plots: pd.DataFrame, rain: pd.DataFrame) -> pd.DataFrame:
    rain = rain.sort_values(["region", "week"])
    rain["rolling"] = rain.groupby("region")["mm"].transform(lambda s: s.rolling(4, min_periods=1).mean())
    spring = rain[rain.week.between(10, 20)].groupby("region")["rolling"].mean().rename("rain_spring")
    summer = rain[rain.week.between(21, 32)].groupby("region")["rolling"].mean().rename("rain_summer")
    out = plots.merge(spring, left_on="region", right_index=True).merge(summer, left_on="region", right_index=True)
    out["rain_ratio"] = out.rain_spring / (out.rain_summer + 1.0)
    out["farm_area_share"] = out.hectares / out.groupby("farm")["hectares"].transform("sum")
    return out.sort_values("plot").reset_index(drop=True)


def build_encoder() -> ColumnTransformer:
    numbers = make_pipeline(PowerTransformer(), StandardScaler())
    return ColumnTransformer(
        [
            ("category", TargetEncoder(target_type="continuous", smooth="auto", cv=5), CATEGORIES),
            ("number", numbers, NUMBERS),
        ]
    )


def to_matrices(train: pd.DataFrame, test: pd.DataFrame):
    encoder = build_encoder()
    x_train = encoder.fit_transform(train, train["tonnes"])
    x_test = encoder.transform(test)
    return x_train.astype(np.float32), x_test.astype(np.float32)
