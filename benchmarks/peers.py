"""The classifiers and regressors that are compared, each with its defaults, on one core."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

from atomlearn import AlgebraicClassifier, AlgebraicRegressor
from benchmarks.record import SEED

OURS = "atomlearn"


def is_number(column: pd.Series) -> bool:
    return column.dtype.kind in "fiub"


def forest(X: pd.DataFrame, of: Any = RandomForestClassifier) -> Any:
    others = [name for name in X if not is_number(X[name])]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2)
    columns = make_column_transformer((encoder, others), remainder="passthrough")
    return make_pipeline(columns, of(200, random_state=SEED))


def linear(X: pd.DataFrame, model: Any) -> Any:
    numbers = [name for name in X if is_number(X[name])]
    others = [name for name in X if not is_number(X[name])]
    scaled = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer((scaled, numbers), (one_hot, others))
    return make_pipeline(columns, model)


def logistic(X: pd.DataFrame) -> Any:
    return linear(X, LogisticRegression(max_iter=500))


def ridge(X: pd.DataFrame) -> Any:
    return linear(X, RidgeCV())


def light(X: pd.DataFrame, of: str = "LGBMClassifier") -> Any:
    import lightgbm

    return getattr(lightgbm, of)(random_state=SEED, n_jobs=1, verbose=-1)


def histogram(X: pd.DataFrame) -> Any:
    others = [name for name in X if not is_number(X[name])]
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, max_categories=255
    )
    columns = make_column_transformer((encoder, others), remainder="passthrough")
    model = HistGradientBoostingClassifier(
        categorical_features=list(range(len(others))), random_state=SEED
    )
    return make_pipeline(columns, model)


def catboost(X: pd.DataFrame, of: str = "CatBoostClassifier") -> Any:
    import catboost

    others = [name for name in X if not is_number(X[name])]
    model = getattr(catboost, of)(
        cat_features=others, random_seed=SEED, thread_count=1, verbose=0, allow_writing_files=False
    )
    return make_pipeline(FunctionTransformer(words), model)


def words(X: pd.DataFrame) -> pd.DataFrame:
    """The same rows, categories as text: CatBoost refuses missing ones."""
    others = [name for name in X if not is_number(X[name])]
    return X.assign(**{name: X[name].astype(object).fillna("").astype(str) for name in others})


def ebm(X: pd.DataFrame, of: str = "ExplainableBoostingClassifier") -> Any:
    from interpret import glassbox

    return getattr(glassbox, of)(random_state=SEED, n_jobs=1)


def ours(X: pd.DataFrame) -> AlgebraicClassifier:
    return AlgebraicClassifier(random_state=SEED)


METHODS: dict[str, Callable[[pd.DataFrame], Any]] = {
    OURS: ours,
    "forest": forest,
    "LightGBM": light,
    "logistic": logistic,
    "histogram boosting": histogram,
    "CatBoost": catboost,
    "EBM": ebm,
}


def dense(X: pd.DataFrame) -> Any:
    """Numbers alone: categories as columns of zeros and ones, missing numbers as the median."""
    numbers = [name for name in X if is_number(X[name])]
    others = [name for name in X if not is_number(X[name])]
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    median = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_column_transformer((median, numbers), (one_hot, others))


def tree(X: pd.DataFrame) -> Any:
    return make_pipeline(dense(X), DecisionTreeRegressor(max_leaf_nodes=20, random_state=SEED))


def figs(X: pd.DataFrame) -> Any:
    from imodels import FIGSRegressor

    return make_pipeline(dense(X), FIGSRegressor(max_rules=20, random_state=SEED))


REGRESSORS: dict[str, Callable[[pd.DataFrame], Any]] = {
    OURS: lambda X: AlgebraicRegressor(random_state=SEED),
    "forest": partial(forest, of=RandomForestRegressor),
    "LightGBM": partial(light, of="LGBMRegressor"),
    "ridge": ridge,
    "tree 20": tree,
    "FIGS 20": figs,
    "CatBoost": partial(catboost, of="CatBoostRegressor"),
    "EBM": partial(ebm, of="ExplainableBoostingRegressor"),
}
SLOW = ("CatBoost", "EBM")
"""Methods that take minutes on many classes: they join on tables of at most ten."""


def svm() -> GridSearchCV:
    """An SVM with a radial kernel; C and gamma by 3-fold cross-validation."""
    grid = {"C": [1, 10, 100], "gamma": ["scale", 0.005]}
    return GridSearchCV(SVC(), grid, cv=3)


class SmallNetwork(ClassifierMixin, BaseEstimator):
    """A convolutional network for images of 28 × 28 pixels.

    Two layers of 3 × 3 filters with pooling, then 64 units with dropout; 2,000 steps of Adam.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: np.ndarray, y: np.ndarray) -> "SmallNetwork":
        import torch
        from torch import nn

        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.network_ = nn.Sequential(
            nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(800, 64), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(64, len(self.classes_)),
        )  # fmt: skip
        steps = torch.optim.Adam(self.network_.parameters())
        images, targets = self._images(X), torch.as_tensor(labels)
        self.network_.train()
        for _ in range(-(-2000 // -(-len(y) // 32))):
            for some in torch.randperm(len(y)).split(32):
                steps.zero_grad()
                nn.functional.cross_entropy(self.network_(images[some]), targets[some]).backward()
                steps.step()
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        import torch

        self.network_.eval()
        with torch.no_grad():
            return self.classes_[self.network_(self._images(X)).argmax(dim=1).numpy()]

    def _images(self, X: np.ndarray) -> Any:
        import torch

        return torch.as_tensor(np.asarray(X, dtype=np.float32).reshape(-1, 1, 28, 28))


def mlp(seed: int) -> GridSearchCV:
    """A network with a hidden layer of 100; the penalty by 3-fold cross-validation."""
    network = MLPClassifier(random_state=seed, max_iter=200)
    return GridSearchCV(network, {"alpha": [1e-4, 1.0]}, cv=3)
