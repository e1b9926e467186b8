"""Learning one class from examples: what holds after every batch, and how batches are drawn."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from atomlearn import Algebra, load
from atomlearn.engine.concept import PAPER, Concept, Recipe, Sampler
from atomlearn.engine.misses import blocks_of
from atomlearn.engine.protocol import LETTER, Protocol
from tests.engine.bars import BAR, N, bars, rows
from tests.engine.strategies import sets_of_lists
from tests.sets.strategies import KERNELS, to_sets

pytestmark = KERNELS

RECIPES = {
    "default": Recipe(first=20, growth=1.3, largest=40),
    "letter, pins checked at once": replace(PAPER, protocol=replace(LETTER, pins_checked="all")),
    "hard": Recipe(first=20, hard_after=1, hard_every=2, hard_size=8, hard_atoms=30),
    "few masters": Recipe(
        first=20, candidates=0.3, protocol=Protocol(dual="reduced"), atomizations=2
    ),
}


def watched_sampler(seed=0, recipe=RECIPES["default"], n_examples=60):
    """A sampler on bars, its examples, and the batches it gives to its concept."""
    terms, mirrored, labels = bars(seed, n_examples)
    concept = Concept(N, BAR, seed, recipe)
    batches = []
    learn_batch = concept.learn_batch

    def recorded(positives, negatives):
        batches.append((to_sets(positives), to_sets(negatives)))
        return learn_batch(positives, negatives)

    concept.learn_batch = recorded
    variants = np.stack([rows(terms), rows(mirrored)])
    return Sampler(concept, variants, labels), batches


def test_relations_are_enforced_with_every_batch():
    """Bars told half by rule, half by example: two columns, and what no image can be."""
    pixels = [f"b{i}" for i in range(16)] + [f"w{i}" for i in range(16)]
    algebra = Algebra([*pixels, "v"])
    algebra.add(
        algebra.relation(f"v < {' '.join(f'b{x + 4 * y}' for y in range(4))}") for x in (0, 1)
    )
    algebra.add(algebra.relation("b5 < b6"))  # wherever pixel 5 is black, so is 6
    terms, _, labels = bars(0, 60)
    told = {column: [4 * y + column for y in range(4)] for column in (0, 1)}
    concept = Concept(N, BAR, 0, RECIPES["default"], algebra.packed())
    sampler = Sampler(concept, rows(terms)[None], labels)
    for _ in range(6):
        sampler.run_epoch()
    atoms = sets_of_lists(concept.pool.atoms)
    assert atoms
    for atom in atoms:
        assert all(atom & set(column) for column in told.values())
        assert 5 not in atom or 6 in atom
        assert all(atom & term for term, is_bar in zip(terms, labels, strict=True) if is_bar)


def test_a_concept_goes_on_from_a_saved_pool(tmp_path):
    sampler, _ = watched_sampler()
    for _ in range(3):
        sampler.run_epoch()
    known = set(sets_of_lists(sampler.concept.pool.atoms))
    sampler.concept.pool.save(tmp_path / "pool.atoms")
    terms, mirrored, labels = bars(0, 60)
    concept = Concept(N, BAR, 1, RECIPES["default"])
    concept.pool = load(tmp_path / "pool.atoms")
    again = Sampler(concept, np.stack([rows(terms), rows(mirrored)]), labels)
    assert set(sets_of_lists(concept.pool.atoms)) == known
    again.run_epoch()
    assert set(sets_of_lists(concept.pool.atoms)) > known


def missing(atoms, example):
    return sum(not atom & example for atom in atoms)


def holds(atoms, positives):
    return all(atom & x for atom in atoms for x in positives)


def all_positives():
    terms, mirrored, labels = bars(0, 60)
    return [some[i] for some in (terms, mirrored) for i in np.flatnonzero(labels)]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_after_every_batch_its_relations_hold_and_no_pin_contradicts_any_example(recipe):
    sampler, batches = watched_sampler(recipe=recipe)
    concept, known = sampler.concept, []
    for epoch in range(4):
        report = sampler.run_epoch()
        positives, negatives = batches[-1]
        master, pins = sets_of_lists(concept.masters[-1]), sets_of_lists(concept.pool.atoms)
        assert all(BAR in atom for atom in [*master, *pins])
        assert holds(master, positives) and holds(pins, all_positives())
        assert all(missing(master, x) > 0 for x in negatives)
        true = [atom for atom in master if holds([atom], all_positives())]
        assert pins == known + [atom for atom in true if atom not in known]
        assert (report.n_dropped, report.n_new) == (len(master) - len(true), len(pins) - len(known))
        assert (report.epoch, report.n_pool, report.n_conflicts) == (epoch, len(pins), 0)
        assert (report.n_positive, report.n_negative) == (len(positives), len(negatives))
        assert set(report.seconds) > {"sampling", "crossing"}
        known = pins
    assert len(concept.masters) == min(4, recipe.atomizations)
    assert concept.epoch == 4


def test_without_a_sampler_each_batch_drops_the_pins_that_it_contradicts_and_only_those():
    terms, _, labels = bars(3, 120)
    concept, positives, negatives = Concept(N, BAR, 0), rows(terms)[labels], rows(terms)[~labels]
    dropped = 0
    for start in range(0, 60, 12):
        pins, batch = sets_of_lists(concept.pool.atoms), slice(start, start + 12)
        report = concept.learn_batch(positives[batch], negatives[batch])
        kept = [pin for pin in pins if holds([pin], to_sets(positives[batch]))]
        assert sets_of_lists(concept.pool.atoms)[: len(kept)] == kept
        assert report.n_dropped == len(pins) - len(kept)
        assert report.n_new == len(concept.pool) - len(kept)
        assert set(concept.pool.born[len(kept) :]) == {report.epoch}
        dropped += report.n_dropped
    assert dropped > 0


def test_the_same_seed_gives_the_same_pool():
    def pool(seed):
        sampler = Sampler(Concept(N, BAR, seed), variants, labels)
        for _ in range(3):
            sampler.run_epoch()
        return sets_of_lists(sampler.concept.pool.atoms)

    terms, mirrored, labels = bars(1, 60)
    variants = np.stack([rows(terms), rows(mirrored)])
    assert pool(1) == pool(1) != pool(2)


def test_batches_are_drawn_from_all_variants_and_grow():
    sampler, batches = watched_sampler()
    terms, mirrored, labels = bars(0, 60)
    for _ in range(6):
        sampler.run_epoch()
    for side, label in [(0, True), (1, False)]:
        own, flipped = (
            {some[i] for i in np.flatnonzero(labels == label)} for some in (terms, mirrored)
        )
        drawn = {x for batch in batches for x in batch[side]}
        assert drawn <= own | flipped
        assert drawn & (own - flipped) and drawn & (flipped - own)
        assert [len(batch[side]) for batch in batches] == [20, *[21] * 5]  # 0.7 of 30


def test_batches_grow_to_the_largest_or_to_their_share_of_the_examples():
    concept = Concept(N, BAR, 0, Recipe(first=10, growth=2.0, largest=50, share=0.5))
    sizes = []
    for concept.epoch in range(4):
        sizes.append([concept.batch_size(available) for available in (0, 9, 60, 1000)])
    assert sizes == [[0, 5, 10, 10], [0, 5, 20, 20], [0, 5, 30, 40], [0, 5, 30, 50]]


def test_one_variant_is_the_examples_themselves():
    terms, _, labels = bars(0, 60)
    concept = Concept(N, BAR, 0, Recipe(share=1.0))
    sampler = Sampler(concept, rows(terms)[None], labels)
    with mock.patch.object(concept, "learn_batch") as learn_batch:
        learn_batch.return_value.seconds = {}
        sampler.run_epoch()
    positives, negatives = map(to_sets, learn_batch.call_args.args)
    assert sorted(map(sorted, [*positives, *negatives])) == sorted(map(sorted, terms))


def test_hard_counterexamples_are_those_with_the_fewest_misses():
    recipe = Recipe(first=10, hard_after=2, hard_every=5, hard_size=6, hard_atoms=10**6)
    sampler, batches = watched_sampler(5, recipe)
    concept, (terms, mirrored, labels) = sampler.concept, bars(5, 60)
    for _ in range(2):
        sampler.run_epoch()
        assert len(concept.hard) == 0
    pins = sets_of_lists(concept.pool.atoms)
    sampler.run_epoch()
    misses = {int(i): missing(pins, terms[i]) for i in np.flatnonzero(~labels)}
    assert concept.hard.tolist() == sorted(misses, key=lambda i: (misses[i], i))[:6]
    hard = {some[i] for some in (terms, mirrored) for i in concept.hard}
    assert sum(x in hard for x in batches[-1][1]) >= 6  # 0.6 of 11
    before = concept.hard
    sampler.run_epoch()
    assert concept.hard is before


def test_a_concept_goes_on_with_other_examples():
    terms, _, labels = bars(9, 200)
    concept = Concept(N, BAR, 0)
    for some in (slice(0, 20), slice(100, 200)):
        sampler = Sampler(concept, rows(terms)[None, some], labels[some])
        for _ in range(3):
            sampler.run_epoch()
        later = [x for x, y in zip(terms[some], labels[some], strict=True) if y]
        assert holds(sets_of_lists(concept.pool.atoms), later)


def test_hard_counterexamples_of_other_examples_are_forgotten():
    terms, _, labels = bars(9, 200)
    concept = Concept(N, BAR, 0, Recipe(first=10, hard_after=1, hard_every=10, hard_size=50))
    for n, hard in ((200, 50), (30, 0)):  # the next hard ones are due in the eleventh epoch
        sampler = Sampler(concept, rows(terms)[None, :n], labels[:n])
        for _ in range(4):
            sampler.run_epoch()
        assert len(concept.hard) == hard


def test_misses_and_votes_count_what_the_atoms_say():
    sampler, _ = watched_sampler(7)
    for _ in range(3):
        sampler.run_epoch()
    concept, unseen = sampler.concept, bars(8, 50)[0]
    blocks = blocks_of(rows(unseen), N)
    pins, masters = sets_of_lists(concept.pool.atoms), [*map(sets_of_lists, concept.masters)]
    assert concept.misses(blocks, 50).tolist() == [missing(pins, x) for x in unseen]
    assert concept.votes(blocks, 50).tolist() == [
        sum(missing(master, x) == 0 for master in masters) for x in unseen
    ]


def test_contradictory_examples_are_counted_and_left_out():
    terms, _, labels = bars(2, 40)
    positives = [x for x, y in zip(terms, labels, strict=True) if y]
    negatives = [x for x, y in zip(terms, labels, strict=True) if not y]
    concept = Concept(N, BAR, 0)
    report = concept.learn_batch(rows(positives), rows([*negatives, *positives[:3]]))
    assert report.n_conflicts == 3
    master = sets_of_lists(concept.masters[-1])
    assert all(missing(master, x) == 0 for x in positives)
    assert all(missing(master, x) > 0 for x in negatives)


@pytest.mark.parametrize("n_positive, n_negative", [(0, 0), (0, 5), (5, 0)])
def test_a_batch_may_lack_a_side(n_positive, n_negative):
    terms, _, labels = bars(2, 40)
    positives = rows(terms)[labels][:n_positive]
    negatives = rows(terms)[~labels][:n_negative]
    report = Concept(N, BAR, 0).learn_batch(positives, negatives)
    assert (report.n_atoms > 0) == (n_negative > 0)


def test_the_bars_are_learned():
    terms, _, labels = bars(11, 400)
    sampler = Sampler(Concept(N, BAR, 0, Recipe(first=200)), rows(terms)[None], labels)
    for _ in range(10):
        sampler.run_epoch()
    unseen, _, truth = bars(12, 200)
    votes = sampler.concept.votes(blocks_of(rows(unseen), N), 200)
    assert np.mean((votes >= 5) == truth) > 0.8


def test_enforced_pins_are_kept_by_the_master():
    terms, _, labels = bars(6, 60)
    examples = rows(terms)
    concept = Concept(N, BAR, 2, Recipe(candidates=None, protocol=Protocol(strategy="enforce")))
    concept.learn_batch(examples[labels], examples[~labels])
    pins = sets_of_lists(concept.pool.atoms)
    concept.learn_batch(examples[labels], examples[~labels])
    master = sets_of_lists(concept.masters[-1])
    # Each pinning relation ¬(v < T_φ) of the first epoch has an atom below v and not below T_φ.
    assert all(any(BAR in atom and atom <= pin for atom in master) for pin in pins)


def test_a_rare_class_has_small_batches():
    for limit, most in ((None, 42), (1.0, 10)):
        recipe = Recipe(first=1000, negatives=limit, fewest_negatives=2)
        terms, _, _ = bars(0, 60)
        sampler = Sampler(Concept(N, BAR, 0, recipe), rows(terms)[None], np.arange(60) < 10)
        report = sampler.run_epoch()
        assert report.n_positive == 7 and report.n_negative <= most
        assert limit is None or report.n_negative == 7
