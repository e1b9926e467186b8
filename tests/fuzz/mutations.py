"""Sound files changed at random: bytes anywhere, or single values behind right checksums."""

import io
import json
import math
import random
from typing import Any

import numpy as np

from tests.fuzz.parts import Parts, npy, npy_with_header

INTEGERS = [0, 1, -1, 2, 63, 64, 65, 127, -128, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**32 - 1,
            2**32, 2**53, 2**62, 2**63 - 1, -(2**63), -2]  # fmt: skip
"""Where counting goes wrong."""

VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e-320, 1e308,
    float("inf"), float("-inf"), float("nan"), "", "a", "0", "-5", "x" * 5000, "\x1b[31m", "\0",
    "\u202e", "null", "../x", [], {}, [[]], [None], {"": None}, [0] * 100, {"a": {"a": {}}},
    [[[[[[[[]]]]]]]],
]  # fmt: skip
"""What a value in JSON may turn into."""

DTYPES = ["<i1", "<i2", "<i4", "<i8", ">i8", "<u8", "<f8", "<f2", "|b1"]


def mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, cut out, put in, doubled, or the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(changed) + 1)
        n = chance.choice((1, 1, 2, 4, 8, 32))
        match chance.randrange(6):
            case 0:
                changed[at : at + n] = chance.randbytes(len(changed[at : at + n]))
            case 1 if at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            case 2:
                del changed[at : at + n]
            case 3:
                changed[at:at] = chance.choice((chance.randbytes(n), bytes(n), b"\xff" * n))
            case 4:
                number = chance.choice(INTEGERS) % 2**32
                changed[at : at + 4] = number.to_bytes(4, "little")
            case 5:
                changed[at:at] = changed[at : at + 64]
    if chance.random() < 0.1:
        del changed[chance.randrange(len(changed) + 1) :]
    return bytes(changed)


def mutate_parts(parts: Parts, chance: random.Random) -> Parts:
    """A few members, or the manifest, changed in some way that a forger might try."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name = chance.choice(sorted(parts.members))
        draw = chance.random()
        if draw < 0.03:
            parts = parts.drop(name)
        elif draw < 0.05:
            parts = parts.put(name, parts.members[chance.choice(sorted(parts.members))])
        elif draw < 0.08:
            field = chance.choice(("kind", "version", "members", "info", "format"))
            parts = parts.say(**{field: chance.choice(VALUES)})
        elif draw < 0.12:
            parts = parts.put(name, mutate_bytes(parts.members[name], chance))
        elif name.endswith(".json"):
            parts = parts.put(name, mutate_json(parts.members[name], chance))
        else:
            parts = parts.put(name, mutate_array(parts.members[name], chance))
        if not parts.members:
            return parts
    return parts


def mutate_json(data: bytes, chance: random.Random) -> bytes:
    """One value of many replaced, taken away or doubled."""
    try:
        root = [json.loads(data)]
    except (ValueError, RecursionError):  # an earlier change has left none
        return data
    place: Any = root
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = chance.choice(keys)
        inner = place[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.85:
            place = inner
            continue
        match chance.randrange(8):
            case 0 if place is not root:
                del place[key]
            case 1 if isinstance(place, list) and place is not root:
                place.append(inner)
            case 2 if isinstance(inner, int | float):
                place[key] = chance.choice(INTEGERS)
            case 3 if isinstance(inner, int | float):
                place[key] = inner + chance.choice((-1, 1, 0.5))
            case 4 if isinstance(place, dict):
                place[chance.choice(("", "a", "n_jobs", key))] = chance.choice(VALUES)
            case _:
                place[key] = chance.choice(VALUES)
        return json.dumps(root[0]).encode()


def mutate_array(data: bytes, chance: random.Random) -> bytes:
    """Other numbers, more or fewer of them, of another type or shape, or under another header."""
    array = _sound(data)
    if array is None:  # an earlier change has left none
        return data
    match chance.randrange(9):
        case 0 | 1 | 2 if array.size:
            array = array.astype(np.int64) if array.dtype.kind == "i" else array
            for _ in range(chance.choice((1, 1, 3))):
                array.flat[chance.randrange(array.size)] = _number(array.dtype, chance)
        case 3 if array.size:
            kept = chance.randrange(len(array) + 1)
            array = array[:kept] if chance.random() < 0.5 else array[kept:]
        case 4:
            array = np.concatenate([array, array[: chance.choice((1, 2, len(array)))]])
        case 5:
            with np.errstate(all="ignore"):
                array = array.astype(chance.choice(DTYPES))
        case 6:
            array = chance.choice((array[None], array.ravel(), array[::-1].copy(), array[:0]))
        case 7 if array.dtype.kind == "i":
            step = chance.choice((1, -1, 2**31, 2**32, -(2**31)))
            array = array.astype(np.int64) + step
        case _:
            shape = chance.choice(("(1,)", "()", "(0,)", "(-1,)", "(2, 2)", f"({10**12},)"))
            dtype = chance.choice([*DTYPES, "|O", "|V0", "<U1", "<M8[s]", "x", "i" * 50])
            text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}"
            if chance.random() < 0.3:
                text = text[: chance.randrange(len(text))]
            return npy_with_header(text, array.tobytes())
    return npy(np.ascontiguousarray(array))


def _sound(data: bytes) -> np.ndarray | None:
    """The array, if its header tells the truth: NumPy believes it, and some shapes hang it."""
    file = io.BytesIO(data)
    try:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        left = len(data) - file.tell()
        if dtype.kind not in "biuf" or not shape or math.prod(shape) * dtype.itemsize != left:
            return None
        return np.frombuffer(data, dtype, offset=file.tell()).reshape(shape).copy()
    except Exception:
        return None


def _number(dtype: np.dtype, chance: random.Random) -> Any:
    if dtype.kind == "f":
        return chance.choice((0.0, -1.0, np.inf, -np.inf, np.nan, 1e308, 1e-320))
    if dtype.kind == "u":
        return chance.choice(INTEGERS) % 2 ** (8 * dtype.itemsize)
    if dtype.kind == "b":
        return chance.random() < 0.5
    return chance.choice(INTEGERS)
