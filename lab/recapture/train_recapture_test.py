"""Tests the fit of the recapture weights and the written files."""

import re
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

import train_recapture


def rows(count, seed, apart):
    """Photos, half of them displays in focus, that differ in `hue` but not in `variety`."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        display = number % 2 == 0
        scores = dict.fromkeys(train_recapture.SCORES, 0.0) | {"fine": 6.0, "variety": float(rng.random())}
        scores["hue"] = float(rng.normal(apart if display else 0.0, 1.0))
        yield {"label": "display" if display else "texture", "pixels": "2.5", "focus": "sharp", "scores": scores}


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.photos = train_recapture.Photos(list(rows(2000, 1, 2.0)))
        cls.fit = train_recapture.Fit([cls.photos])
        cls.tables = {name: (knots, weights) for name, knots, weights in cls.fit.tables()}

    def test_evidence_is_a_likelihood_ratio(self):
        other = train_recapture.Photos(list(rows(4000, 2, 2.0)))
        evidence, display = self.fit.evidence(other), other.label == "display"
        for low, high in ((-2, -1), (-1, 0), (0, 1), (1, 2)):
            within = (evidence >= low) & (evidence < high)
            ratio = np.log(display[within].sum() / (~display[within]).sum())
            self.assertAlmostEqual(ratio, (low + high) / 2, delta=0.6)

    def test_what_tells_displays_apart_counts_and_nothing_else_does(self):
        rises = np.diff(self.tables["hue"][1])
        self.assertTrue(np.all(rises > -0.3) and rises.sum() > 4)
        self.assertLess(np.ptp(self.tables["variety"][1]), 0.6)

    def test_an_absent_score_says_nothing(self):
        with_hue = self.photos.scores | {}
        try:
            self.photos.scores["hue"] = np.full(2000, np.nan)
            evidence = self.fit.evidence(self.photos)
        finally:
            self.photos.scores = with_hue
        rest = sum(np.interp(self.photos.scores[name], *self.tables[name]) for name in train_recapture.SCORES if name != "hue")
        np.testing.assert_allclose(evidence, self.fit.constant + rest)

    def test_without_a_lattice_or_color_no_evidence_counts(self):
        photos = [*rows(2, 3, 9.0), *rows(2, 3, 9.0)]
        photos[0]["scores"]["fine"] = 3.0
        del photos[2]["scores"]["chroma"]
        evidence = self.fit.evidence(train_recapture.Photos(photos))
        self.assertEqual(list(np.isfinite(evidence)), [False, True, False, True])

    def test_a_threshold_lets_no_larger_share_of_the_world_be_high(self):
        evidence, world = self.fit.evidence(self.photos), self.photos.world()
        for most in (0, 0.002, 0.007, 0.1):
            threshold = train_recapture.threshold_of(evidence, self.photos, most)
            self.assertLessEqual(np.mean(evidence[world] >= threshold), most)
            self.assertGreater(np.mean(evidence[world] >= threshold - 0.5), most)

    def test_the_module_has_the_same_weights(self):
        written = train_recapture.rust(self.fit)
        terms = dict(re.findall(r'name: "(\w+)", knots: &\[(.*)\]', written))
        self.assertEqual(tuple(terms), train_recapture.SCORES)
        pairs = np.array([pair.split(", ") for pair in re.findall(r"\((.*?)\)", terms["hue"])], float)
        np.testing.assert_allclose(pairs.T, self.tables["hue"], atol=1e-3)
        self.assertIn(f"TERMS: [Term; {len(terms)}]", written)

    def test_a_photo_is_developed_otherwise_and_the_same_each_time(self):
        picture = cv2.GaussianBlur(np.random.default_rng(4).integers(0, 256, (96, 128, 3), np.uint8), (0, 0), 2)
        with TemporaryDirectory() as place:
            folder, one, other = (Path(place) / name for name in ("folder", "one", "other"))
            folder.mkdir()
            cv2.imwrite(str(folder / "a.jpg"), picture)
            for into in (one, other):
                train_recapture.develop(folder, into, [{"file": "a.jpg"}])
            self.assertEqual((one / "a.jpg").read_bytes(), (other / "a.jpg").read_bytes())
            before, after = (cv2.imread(str(place / "a.jpg")).astype(float) for place in (folder, one))
        self.assertEqual(before.shape, after.shape)
        self.assertTrue(0.5 < np.abs(before - after).mean() < 15)


if __name__ == "__main__":
    unittest.main()
