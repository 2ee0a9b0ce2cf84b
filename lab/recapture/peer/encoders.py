"""JPEG encoding as browsers and other programs do it."""

import io

import numpy as np
from PIL import Image

# Quantization tables that ImageMagick offers as flat, scaled by quality like the standard ones: finer at low
# frequencies and coarser at high ones than those of Annex K.
FLAT = [16, 16, 16, 16, 17, 18, 21, 24, 16, 16, 16, 16, 17, 19, 22, 25, 16, 16, 17, 18, 20, 22, 25, 29, 16, 16, 18, 21, 24, 27, 31, 36,
        17, 17, 20, 24, 30, 35, 41, 47, 18, 19, 22, 27, 35, 44, 54, 65, 21, 22, 25, 31, 41, 54, 70, 88, 24, 25, 29, 36, 47, 65, 88, 115]


def draw(rng):
    """Random encoder settings, mostly those of browsers."""
    quality = int(rng.choice([92, 80, 85, 90, int(rng.integers(70, 98))], p=[0.35, 0.12, 0.15, 0.15, 0.23]))
    sampling = str(rng.choice(["4:2:0", "4:2:2", "4:4:4"], p=[0.76, 0.04, 0.2]))
    encoder = str(rng.choice(["standard", "flat"], p=[0.88, 0.12]))
    return {"quality": quality, "sampling": sampling, "encoder": encoder, "twice": bool(rng.random() < 0.06)}


def encode(codes, settings):
    """Encodes a JPEG."""
    image = Image.fromarray(codes)
    if settings["twice"]:
        first = io.BytesIO()
        image.save(first, "JPEG", quality=95, subsampling=settings["sampling"])
        image = Image.open(io.BytesIO(first.getvalue())).convert("RGB")
    out = io.BytesIO()
    options = {"quality": settings["quality"]}
    if settings["encoder"] == "flat":
        quality = settings["quality"]
        scale = 5000 / quality if quality < 50 else 200 - 2 * quality
        table = [int(v) for v in np.clip((np.array(FLAT) * scale + 50) // 100, 1, 255)]
        options = {"qtables": [table, table]}
    image.save(out, "JPEG", subsampling=settings["sampling"], optimize=True, **options)
    return out.getvalue()
