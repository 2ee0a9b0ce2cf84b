#!/usr/bin/env python3
"""Writes the expected values of the fingerprint's tests (shared/fingerprint/src/vectors.json): generated pictures, the
32 x 32 pixels that Pillow makes of them, and the codes that iscc-core computes of these."""

import json
import sys
from pathlib import Path

import iscc_core
import numpy as np
import PIL
from PIL import Image

# Columns, rows and seeds.
PICTURES = [
    (32, 32, 1), (31, 33, 2), (33, 31, 3), (1, 1, 4), (1, 77, 5), (5, 3, 6), (640, 480, 7), (333, 517, 8), (1000, 9, 9),
    (240, 8192, 10), (8192, 240, 11),
]


def mixed(*numbers):
    """A pseudo-random number of 32 bits for each index, as in shared/fingerprint/src/vectors.rs."""
    state = np.uint32(2_166_136_261)
    for number in numbers:
        state = (state ^ np.asarray(number, np.uint32)) * np.uint32(16_777_619)
        state = state ^ (state >> np.uint32(15))
    return state


def picture(width, height, seed):
    """Blocks of seven columns and five rows in random colors, with noise."""
    y, x = np.mgrid[0:height, 0:width].astype(np.uint32)
    samples = [
        mixed(seed, channel, x * 7 // width, y * 5 // height) % 192 + mixed(seed, channel, x, y) % 64 for channel in range(3)
    ]
    return Image.fromarray(np.stack(samples, axis=-1).astype(np.uint8))


def reference(image):
    """The pixels and the code by Pillow and iscc-core, in hexadecimal digits."""
    pixels = image.convert("L").resize((32, 32), Image.Resampling.BICUBIC).tobytes()
    return pixels.hex(), iscc_core.soft_hash_image_v0(list(pixels), bits=256).hex()


def expected(width, height, seed):
    pixels, code = reference(picture(width, height, seed))
    return {"width": width, "height": height, "seed": seed, "pixels": pixels, "code": code}


def main():
    made = {
        "made_by": f"lab/fingerprint/vectors.py with Pillow {PIL.__version__} and iscc-core {iscc_core.__version__}",
        "pictures": [expected(*parameters) for parameters in PICTURES],
    }
    Path(sys.argv[1]).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    np.seterr(over="ignore")
    main()
