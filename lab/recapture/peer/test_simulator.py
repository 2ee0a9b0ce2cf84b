"""Tests properties of the second simulator on small frames."""

import unittest

import numpy as np

import camera as cameras
import displays
import encoders
import textures
from geometry import View
from pictures import dead_leaves, lines


def view(pixels, fine=(96, 64)):
    units = 1 / (pixels * cameras.SUPERSAMPLING)
    return View(fine[0], fine[1], units * fine[1], (40.0, 40.0)), 1.5 * units


class Simulator(unittest.TestCase):
    def rendered(self, kind, pixels, content):
        seen, footprint = view(pixels)
        layout = displays.layout(kind, np.random.default_rng(3))
        light = np.zeros((64, 96, 3), np.float32)
        displays.render(light, content, layout.emitters, layout.gains(), layout.width, layout.height, layout.slant, seen.numbers(),
                        footprint, 0.0)
        return light

    def test_white_is_as_bright_as_its_pixels_say_on_every_display(self):
        white = np.ones((80, 80, 3), np.float32)
        for kind in displays.KINDS:
            with self.subTest(kind):
                light = self.rendered(kind, 4.0, white).mean(axis=(0, 1))
                np.testing.assert_allclose(light, 1, atol=0.12)

    def test_a_display_shows_its_picture_and_no_negative_light(self):
        half = np.zeros((80, 80, 3), np.float32)
        half[:, 40:] = 1
        for kind in displays.KINDS:
            with self.subTest(kind):
                light = self.rendered(kind, 2.0, half)
                self.assertGreaterEqual(light.min(), 0)
                self.assertLess(light[:, :40].mean(), 0.02)
                self.assertGreater(light[:, 56:].mean(), 0.8)

    def test_every_display_has_a_period_and_continuous_light_has_none(self):
        white = np.ones((80, 80, 3), np.float32)
        seen, _ = view(3.0)
        light = np.zeros((64, 96, 3), np.float32)
        displays.render_continuous(light, white, seen.numbers(), 0.0)
        self.assertLess(light.std(), 1e-4)
        for kind in displays.KINDS:
            self.assertGreater(self.rendered(kind, 3.0, white).std(), 0.1, kind)

    def test_every_texture_is_drawn(self):
        self.assertGreaterEqual(len(textures.KINDS), 30)
        noise = textures.noise_table(np.random.default_rng(1))
        colors = np.random.default_rng(2).uniform(0.1, 0.9, (6, 3))
        for kind, (function, shortest, longest) in textures.KINDS.items():
            with self.subTest(kind):
                self.assertLess(shortest, longest)
                points = [function(x * 0.37 + 100, y * 0.41 + 100, 0.1, np.full(4, 0.5), colors, noise)
                          for x in range(24) for y in range(24)]
                values = np.array(points)
                self.assertTrue(np.isfinite(values).all())
                self.assertGreater(values.std(), 0.005)

    def test_every_demosaicing_keeps_an_even_grey(self):
        rng = np.random.default_rng(4)
        for name in ("bilinear", "malvar", "edge-aware", "hamilton-adams", "binned"):
            for mosaic in range(4):
                camera = {"demosaic": name, "mosaic": mosaic, "full_well": 1e9, "read_noise": 0.0}
                even = np.full((40, 60, 3), 0.5, np.float32)
                picture = cameras.demosaiced(cameras.exposed(even, camera, rng), camera)
                self.assertEqual(picture.shape, even.shape)
                np.testing.assert_allclose(picture, 0.5, atol=1e-3)

    def test_demosaicing_knows_where_each_color_is(self):
        rng = np.random.default_rng(5)
        red = np.zeros((40, 60, 3), np.float32)
        red[..., 0] = 0.6
        for name in ("bilinear", "malvar", "edge-aware", "hamilton-adams"):
            for mosaic in range(4):
                camera = {"demosaic": name, "mosaic": mosaic, "full_well": 1e9, "read_noise": 0.0}
                picture = cameras.demosaiced(cameras.exposed(red, camera, rng), camera)[8:-8, 8:-8]
                means = picture.mean(axis=(0, 1))
                self.assertGreater(means[0], means[1] + 0.2, (name, mosaic))
                self.assertGreater(means[0], means[2] + 0.2, (name, mosaic))

    def test_a_photo_depends_on_its_seed_alone(self):
        def photo(seed):
            rng = np.random.default_rng(seed)
            camera = cameras.draw(rng, (240, 180))
            light = np.random.default_rng(9).random((cameras.fine_size(camera)[1], cameras.fine_size(camera)[0], 3)).astype(np.float32)
            return encoders.encode(cameras.seen(light, camera, rng), encoders.draw(rng))
        self.assertEqual(photo(6), photo(6))
        self.assertNotEqual(photo(6), photo(7))

    def test_scenes_and_pages_fill_their_size(self):
        self.assertEqual(dead_leaves((120, 90), np.random.default_rng(1)).shape, (90, 120, 3))
        page = lines((200, 100), np.random.default_rng(2), 12, True, False)
        self.assertEqual(page.shape, (100, 200, 3))
        # ClearType colors the edges of letters.
        self.assertGreater(np.abs(page.astype(int)[..., 0] - page.astype(int)[..., 2]).max(), 20)


if __name__ == "__main__":
    unittest.main()
