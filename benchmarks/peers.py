"""The classifiers that are compared, each as it comes, on one core."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
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

from atomlearn import AlgebraicClassifier
from benchmarks.record import SEED

OURS = "atomlearn"


def is_number(column: pd.Series) -> bool:
    return column.dtype.kind in "fiub"


def forest(X: pd.DataFrame) -> Any:
    others = [name for name in X if not is_number(X[name])]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2)
    columns = make_column_transformer((encoder, others), remainder="passthrough")
    return make_pipeline(columns, RandomForestClassifier(200, random_state=SEED))


def logistic(X: pd.DataFrame) -> Any:
    numbers = [name for name in X if is_number(X[name])]
    others = [name for name in X if not is_number(X[name])]
    scaled = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer((scaled, numbers), (one_hot, others))
    return make_pipeline(columns, LogisticRegression(max_iter=500))


def light(X: pd.DataFrame) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=SEED, n_jobs=1, verbose=-1)


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


def catboost(X: pd.DataFrame) -> Any:
    from catboost import CatBoostClassifier

    others = [name for name in X if not is_number(X[name])]
    model = CatBoostClassifier(
        cat_features=others, random_seed=SEED, thread_count=1, verbose=0, allow_writing_files=False
    )
    return make_pipeline(FunctionTransformer(words), model)


def words(X: pd.DataFrame) -> pd.DataFrame:
    """The same rows, categories as text: CatBoost refuses missing ones."""
    others = [name for name in X if not is_number(X[name])]
    return X.assign(**{name: X[name].astype(object).fillna("").astype(str) for name in others})


def ebm(X: pd.DataFrame) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=SEED, n_jobs=1)


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
SLOW = ("CatBoost", "EBM")
"""Methods that take minutes on many classes: they join on tables of at most ten."""


def svm() -> GridSearchCV:
    """An SVM with a radial kernel; C and gamma by 3-fold cross-validation."""
    grid = {"C": [1, 10, 100], "gamma": ["scale", 0.005]}
    return GridSearchCV(SVC(), grid, cv=3)


def mlp(seed: int) -> GridSearchCV:
    """A network with a hidden layer of 100; the penalty by 3-fold cross-validation."""
    network = MLPClassifier(random_state=seed, max_iter=200)
    return GridSearchCV(network, {"alpha": [1e-4, 1.0]}, cv=3)
