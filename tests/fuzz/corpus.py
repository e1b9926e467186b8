"""Files made to do harm, each with a name: none may be loaded, and none may do more than that."""

import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from tests.fuzz.kinds import CONTAINERS, sample
from tests.fuzz.parts import MANIFEST, Parts, npy, npy_with_header

LISTS = {
    "model": ("offsets.npy", "atoms.npy"),
    "classifier": ("offsets.npy", "atoms.npy"),
    "weighted": ("weighted_starts.npy", "weighted_constants.npy"),
    "exchange": ("offsets.npy", "atoms.npy"),
    "pool": ("offsets.npy", "atoms.npy"),
}
"""Of each kind, where lists begin and what is in them."""

OBJECTS = {
    "classifier": "model.json",
    "pool": "pool.json",
    "exchange": "state.json",
}
"""Of each kind, a member that is an object in JSON."""

EVIDENCE = {"chosen": "strict", "losses": {}, "errors": {}, "strict": 1, "weighted": 0}

Forge = Callable[[Parts], Parts | bytes]


class Nasty(NamedTuple):
    name: str
    kind: str
    forge: Forge

    def data(self) -> bytes:
        made = self.forge(Parts.of(sample(self.kind)))
        return made if isinstance(made, bytes) else made.packed()


def corpus() -> Iterator[Nasty]:
    """All of them."""
    yield from forged_lists()
    yield from forged_headers()
    yield from forged_json()
    yield from forged_fields()
    yield from bombs()
    yield from forged_zips()


def forged_lists() -> Iterator[Nasty]:
    """Offsets and indices that lead out of their arrays."""

    def starts_of(change: Callable[[np.ndarray], object]) -> Callable[[str], Forge]:
        return lambda name: lambda parts: parts.put(name, np.asarray(change(parts.array(name))))

    starts = {
        "beyond the end": starts_of(lambda a: np.where(a == a[-1], a[-1] + 1, a)),
        "negative": starts_of(lambda a: a - 1),
        "none": starts_of(lambda a: a[:0]),
        "backwards": starts_of(lambda a: a[::-1].copy()),
        "unsigned": starts_of(lambda a: a.astype(np.uint64)),
        "matrix": starts_of(lambda a: a[None]),
    }
    constants = {
        "wrap to 32 bits": starts_of(lambda a: a.astype(np.int64) + 2**32),
        "wrap to -1": starts_of(lambda a: np.full(len(a), 2**32 - 1)),
        "negative": starts_of(lambda a: a - 1000),
        "too large": starts_of(lambda a: a + 1000),
        "all the same": starts_of(lambda a: a * 0),
    }
    for kind, (at, members) in LISTS.items():
        forge = partial(overflowing, kind)
        yield Nasty(f"{kind}: starts: differences overflow", kind, forge)
        for what, forge in starts.items():
            yield Nasty(f"{kind}: starts: {what}", kind, forge(at))
        for what, forge in constants.items():
            yield Nasty(f"{kind}: constants: {what}", kind, forge(members))
    bounds = {
        "classes overflow": lambda a: np.array([0, 2**63 - 1, int(a[-1])]),
        "classes below zero": lambda a: np.array([0, -(2**63), int(a[-1])]),
        "one class more": lambda a: np.append(a, a[-1]),
    }
    for kind in ("classifier", "exchange"):
        for what, change in bounds.items():
            yield Nasty(f"{kind}: {what}", kind, starts_of(change)("class_offsets.npy"))


def overflowing(kind: str, parts: Parts) -> Parts:
    """Three lists whose lengths are positive only because their differences overflow in 64 bits.

    All else fits them, so that nothing but a comparison without differences tells.
    """
    starts, members = LISTS[kind]
    forged = {
        starts: np.array([0, 2**63 - 1, -2, 3]),
        members: np.arange(3, dtype=np.int32),
        "class_offsets.npy": np.array([0, 3, 3]),
    }
    for name in ("born.npy", "source.npy"):
        forged[name] = np.zeros(3, dtype=np.int32)
    if kind == "weighted":
        forged = {starts: forged[starts], members: forged[members]}
        forged |= {"weighted_classes.npy": np.zeros(3, np.int64)}
        forged |= {"weighted_weights.npy": np.zeros(3)}
    for name in set(forged) & set(parts.members):
        parts = parts.put(name, forged[name])
    return parts


def forged_headers() -> Iterator[Nasty]:
    """Arrays whose headers lie, or are no headers."""
    plain = "{{'descr': {}, 'fortran_order': {}, 'shape': {}}}"
    headers = {
        "parenthesis": "(",
        "brace": "{",
        "empty": "",
        "a list": "[]",
        "a call": "__import__('os').abort()",
        "deep": "(" * 3000,
        "deep minus": "-" * 3000 + "1",
        "long": " " * 60_000,
        "null byte": "{'descr': '<i8\0'}",
        "no shape": "{'descr': '<i8', 'fortran_order': False}",
        "more keys": "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "descr a number": plain.format("1", "False", "(1,)"),
        "descr unhashable": plain.format("[[]]", "False", "(1,)"),
        "descr nested": plain.format("[('a', '<i8')]", "False", "(1,)"),
        "objects": plain.format("'|O'", "False", "(1,)"),
        "nothing": plain.format("'|V0'", "False", "(1000000000,)"),
        "text": plain.format("'<U2'", "False", "(1,)"),
        "dates": plain.format("'<M8[ns]'", "False", "(1,)"),
        "complex": plain.format("'<c16'", "False", "(1,)"),
        "shape negative": plain.format("'<i8'", "False", "(-1,)"),
        "shape huge": plain.format("'<i8'", "False", "(10000000000000,)"),
        "shape overflows": plain.format("'<i8'", "False", "(4294967296, 4294967296)"),
        "shape a truth": plain.format("'<i8'", "False", "(True,)"),
        "shape a float": plain.format("'<i8'", "False", "(1.0,)"),
        "shape many": plain.format("'<i8'", "False", "(" + "1," * 70 + ")"),
        "fortran": plain.format("'<i8'", "True", "(1,)"),
    }
    for what, header in headers.items():
        data = npy_with_header(header, b"\0" * 8)
        yield Nasty(f"array: {what}", "model", lambda parts, d=data: parts.put("atoms.npy", d))
    whole = {
        "no bytes": b"",
        "magic only": b"\x93NUMPY",
        "version 2": b"\x93NUMPY\x02\x00" + npy(np.arange(3))[8:],
        "version 9": b"\x93NUMPY\x09\x00" + npy(np.arange(3))[8:],
        "pickled": npy(np.array([{"a": 1}, None], dtype=object)),
        "cut short": npy(np.arange(100))[:-1],
        "too long": npy(np.arange(100)) + b"\0",
    }
    for what, data in whole.items():
        yield Nasty(f"array: {what}", "model", lambda parts, d=data: parts.put("atoms.npy", d))


def forged_json() -> Iterator[Nasty]:
    """JSON that is none, or of another form."""
    texts = {
        "nothing": b"",
        "null": b"null",
        "a number": b"7",
        "not closed": b'{"a": [',
        "deep": b"[" * 200_000 + b"]" * 200_000,
        "deep objects": b'{"a":' * 100_000,
        "not UTF-8": b'["\xff\xfe"]',
        "UTF-16": '["a"]'.encode("utf-16"),
        "half a pair": b'["\\ud800"]',
        "long number": b"[" + b"9" * 100_000 + b"]",
        "Infinity": b"[Infinity, -Infinity, NaN]",
        "list of lists": b"[[[]]]",
    }
    members = {"model": "constants.json", **OBJECTS}
    for kind, member in members.items():
        for what, text in texts.items():
            yield Nasty(f"{kind}: {member}: {what}", kind, lambda p, m=member, t=text: p.put(m, t))
    for what in ("null", "Infinity", "list of lists", "half a pair"):
        for kind, member in (("classifier", "history.json"), ("exchange", "rounds.json"),
                             ("classifier", "sources.json"), ("pool", "sources.json")):  # fmt: skip
            text = texts[what]
            yield Nasty(f"{kind}: {member}: {what}", kind, lambda p, m=member, t=text: p.put(m, t))


def forged_fields() -> Iterator[Nasty]:
    """Values that no reader may believe."""
    inf, nan = float("inf"), float("nan")
    fields = [
        ("pool", "pool.json", {"n_constants": inf}),
        ("pool", "pool.json", {"n_constants": nan}),
        ("pool", "pool.json", {"n_constants": -1}),
        ("pool", "pool.json", {"n_constants": 2**31, "names": None}),
        ("pool", "pool.json", {"n_constants": "7"}),
        ("pool", "pool.json", {"n_constants": True}),
        ("pool", "pool.json", {"names": list(range(7))}),
        ("exchange", "state.json", {"epoch": -5}),
        ("exchange", "state.json", {"epoch": 2**31}),
        ("exchange", "state.json", {"epoch": 1.5}),
        ("exchange", "state.json", {"first": nan}),
        ("exchange", "state.json", {"first": "low"}),
        ("exchange", "state.json", {"refuted": -1}),
        ("exchange", "state.json", {"refuted": None}),
        ("classifier", "model.json", {"classes": []}),
        ("classifier", "model.json", {"classes": ["yes", "no"]}),
        ("classifier", "model.json", {"classes": ["no", ["yes"]]}),
        ("classifier", "model.json", {"classes": [1, 2**80], "classes_dtype": "int8"}),
        ("classifier", "model.json", {"classes_dtype": "O"}),
        ("classifier", "model.json", {"slope": inf}),
        ("classifier", "model.json", {"slope": 0}),
        ("classifier", "model.json", {"offset": [inf, 0]}),
        ("classifier", "model.json", {"typical": [nan, 1]}),
        ("classifier", "model.json", {"typical": [1e308, 1]}),
        ("classifier", "model.json", {"epochs": [2**40, 1]}),
        ("classifier", "model.json", {"seed": "-1"}),
        ("classifier", "model.json", {"seed": "9" * 5000}),
        ("classifier", "model.json", {"seed": 1}),
        ("classifier", "model.json", {"columns": "abc"}),
        ("classifier", "model.json", {"columns": [[]] * 3}),
        ("classifier", "model.json", {"literals": None}),
        ("classifier", "model.json", {"has_names": "no"}),
        ("classifier", "model.json", {"params": {"image_shape": [-1, -3]}}),
        ("classifier", "model.json", {"params": {"image_shape": [10**9, 10**9]}}),
        ("classifier", "model.json", {"params": {"symmetries": [[99, 0, 1]]}}),
        ("classifier", "model.json", {"params": {"symmetries": [[2**63, 0, 1]]}}),
        ("classifier", "model.json", {"params": {"class_weight": [["yes", nan]]}}),
        ("classifier", "model.json", {"params": {"class_weight": [[["yes"], 1]]}}),
        ("classifier", "model.json", {"params": {"max_epochs": inf}}),
        ("classifier", "model.json", {"params": {"evidence": "hearsay"}}),
        ("classifier", "model.json", {"prior": [nan, 0]}),
        ("classifier", "model.json", {"prior": [0]}),
        ("classifier", "model.json", {"evidence": {**EVIDENCE, "chosen": "both", "weighted": 1}}),
        ("weighted", "model.json", {"evidence": "weighted"}),
        ("weighted", "model.json", {"evidence": {**EVIDENCE, "weighted": 1}}),
        ("weighted", "model.json", {"evidence": {**EVIDENCE, "chosen": "hearsay"}}),
        ("weighted", "model.json", {"evidence": {**EVIDENCE, "weighted": inf}}),
        ("weighted", "model.json", {"evidence": {**EVIDENCE, "strict": -1}}),
        ("weighted", "model.json", {"evidence": {**EVIDENCE, "losses": {"strict": 1}}}),
        ("weighted", "model.json", {"evidence": {**EVIDENCE, "errors": {"hearsay": 0}}}),
        ("classifier", "model.json", {"params": {"time_limit": -1}}),
        ("classifier", "model.json", {"params": {"random_state": "x"}}),
        ("classifier", "model.json", {"params": {"__class__": 1}}),
    ]
    for i, (kind, member, change) in enumerate(fields):
        name = f"{kind}: {i}: {json.dumps(change)[:60]}"
        yield Nasty(name, kind, lambda p, m=member, c=change: p.edit(m, **c))
    arrays = [
        ("exchange", "refuting.npy", lambda a: a | (np.uint64(1) << np.uint64(63))),
        ("exchange", "refuting.npy", lambda a: a[:, :0]),
        ("exchange", "refuting_sizes.npy", lambda a: np.array([2**63 - 1, -(2**63) + 6])),
        ("exchange", "refuting_sizes.npy", lambda a: np.array([-1, 6])),
        ("classifier", "sample_rows.npy", lambda a: a | (np.uint64(1) << np.uint64(63))),
        ("classifier", "first_rows.npy", lambda a: a | (np.uint64(1) << np.uint64(63))),
        ("classifier", "sample_totals.npy", lambda a: np.full_like(a, -(2**63))),
        ("classifier", "unseen_ratios.npy", lambda a: np.full_like(a, np.inf)),
        ("classifier", "unseen_ratios.npy", lambda a: a * 0 + 1e300),
        ("classifier", "unseen_labels.npy", lambda a: a + 2**40),
        ("classifier", "unseen_weights.npy", lambda a: a * 0),
        ("classifier", "unseen_shares.npy", lambda a: -a),
        ("classifier", "kept.npy", lambda a: a + 2**62),
        ("classifier", "born.npy", lambda a: a.astype(np.int64) + 2**32),
        ("classifier", "source.npy", lambda a: a.astype(np.int64) + 2**32),
        ("classifier", "source.npy", lambda a: a - 1),
        ("weighted", "weighted_weights.npy", lambda a: a * np.nan),
        ("weighted", "weighted_weights.npy", lambda a: a * 0 + np.inf),
        ("weighted", "weighted_weights.npy", lambda a: a[1:]),
        ("weighted", "weighted_classes.npy", lambda a: a + 2),
        ("weighted", "weighted_classes.npy", lambda a: a - 2**40),
        ("weighted", "weighted_offset.npy", lambda a: a[:1]),
        ("weighted", "weighted_offset.npy", lambda a: a * np.nan),
        ("weighted", "unseen_weighted.npy", lambda a: a[1:]),
        ("weighted", "unseen_weighted.npy", lambda a: a * np.nan),
    ]
    for i, (kind, member, change) in enumerate(arrays):
        forge = lambda p, m=member, c=change: p.put(m, c(p.array(m)))  # noqa: E731
        yield Nasty(f"{kind}: {member} {i}", kind, forge)


def bombs() -> Iterator[Nasty]:
    """Small files that ask for much memory."""

    def empty_lists(parts: Parts) -> bytes:
        chance = random.Random(0)  # a little noise, so that the zip is not refused for its ratio
        some = [b"[],", b"{},"]
        text = b"".join(chance.choices(some, [15, 1], k=1_000_000))
        return parts.put("constants.json", b"[" + text * 7 + b"[]]").packed(level=1)

    def wide_rows(parts: Parts) -> Parts:
        n, n_atoms = 65_536, 100_000
        atoms = np.random.default_rng(0).integers(0, n, n_atoms).astype(np.int32)
        parts = parts.put("constants.json", [f"{i:x}" for i in range(n)])
        return parts.put("atoms.npy", atoms).put("offsets.npy", np.arange(n_atoms + 1))

    def long_label(parts: Parts) -> Parts:
        labels = sorted([f"{i:04}" for i in range(3000)] + ["x" * 100_000])
        return parts.edit("model.json", classes=labels, classes_dtype="str")

    def zeros(parts: Parts) -> Parts:
        return parts.put("atoms.npy", npy(np.zeros(1 << 24, dtype=np.int32)))

    def large_manifest(parts: Parts) -> Parts:
        return parts.say(info={"x": "x" * (2 << 20)})

    def many_members(parts: Parts) -> Parts:
        for i in range(300):
            parts = parts.put(f"x{i}.npy", b"")
        return parts

    yield Nasty("bomb: empty lists in JSON", "model", empty_lists)
    yield Nasty("bomb: few atoms over many constants", "model", wide_rows)
    yield Nasty("bomb: one long label", "classifier", long_label)
    yield Nasty("bomb: zeros", "model", zeros)
    yield Nasty("bomb: a large manifest", "model", large_manifest)
    yield Nasty("bomb: many members", "model", many_members)


def forged_zips() -> Iterator[Nasty]:
    """Zips that are not what they say."""

    def declared(size: int, field: int = 24) -> Forge:
        """With another number in the directory, of the size of a member before or after."""

        def forge(parts: Parts) -> bytes:
            data = bytearray(parts.packed())
            at = data.rfind(b"PK\x01\x02")
            data[at + field : at + field + 4] = size.to_bytes(4, "little")
            return bytes(data)

        return forge

    def patched(signature: bytes, offset: int, value: bytes) -> Forge:
        def forge(parts: Parts) -> bytes:
            data = bytearray(parts.packed())
            at = data.rfind(signature) + offset
            data[at : at + len(value)] = value
            return bytes(data)

        return forge

    def twice(parts: Parts) -> bytes:
        file = io.BytesIO(parts.packed())
        with zipfile.ZipFile(file, "a") as archive:
            archive.filelist[-1].filename = "again"  # so that zipfile does not warn
            archive.NameToInfo.clear()
            archive.writestr(MANIFEST, "{}")
        return file.getvalue()

    def only(**members: str) -> Forge:
        def forge(parts: Parts) -> bytes:
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as archive:
                for name, text in members.items():
                    archive.writestr(name.replace("_", "."), text)
            return file.getvalue()

        return forge

    yield Nasty("zip: declares 4 GB", "model", declared(2**32 - 2))
    yield Nasty("zip: declares 200 MB", "model", declared(200 << 20))
    yield Nasty("zip: declares less than there is", "model", declared(5))
    yield Nasty("zip: member beyond the file", "model", declared(2**31, 42))
    yield Nasty("zip: directory beyond the file", "model", patched(b"PK\x05\x06", 16, b"\xff" * 3))
    yield Nasty("zip: encrypted", "model", patched(b"PK\x01\x02", 8, b"\1"))
    yield Nasty("zip: unknown compression", "model", patched(b"PK\x01\x02", 10, b"\x63"))
    yield Nasty("zip: another checksum", "model", patched(b"PK\x01\x02", 16, b"\0\0\0\0"))
    yield Nasty("zip: bzip2", "model", lambda p: p.packed(zipfile.ZIP_BZIP2))
    yield Nasty("zip: LZMA", "model", lambda p: p.packed(zipfile.ZIP_LZMA))
    yield Nasty("zip: two manifests", "model", twice)
    yield Nasty("zip: empty", "model", only())
    yield Nasty("zip: manifest only", "model", only(manifest_json="{}"))
    yield Nasty("zip: manifest is a list", "model", only(manifest_json="[]"))
    yield Nasty("zip: end only", "model", lambda p: b"PK\x05\x06" + b"\0" * 18)
    yield Nasty("zip: start only", "model", lambda p: b"PK")
    for name in ("../x.npy", "/x.npy", "x.pkl", "a\\b.npy", "atoms.npy/", "x" * 500 + ".npy"):
        yield Nasty(f"zip: a member {name[:20]}", "model", lambda p, n=name: p.put(n, b""))
    for kind in CONTAINERS:
        yield Nasty(f"{kind}: version 0", kind, lambda p: p.say(version=0))
        yield Nasty(f"{kind}: version 10**30", kind, lambda p: p.say(version=10**30))
        yield Nasty(f"{kind}: another kind", kind, lambda p: p.say(kind="\x1b[31msculpture"))
        yield Nasty(f"{kind}: members not listed", kind, lambda p: p.say(members=[]))
        yield Nasty(f"{kind}: members unhashable", kind, lambda p: p.say(members=[[]]))
