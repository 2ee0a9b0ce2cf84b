"""The originals: photographs, tiles of wallpapers, and pictures drawn by a seed. Each is a frame as a page would upload it,
a JPEG."""

import io
import random
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

MAX_SIDE = 2560
TILES = (12, 7)  # columns and rows that a wallpaper is cut into
WORDS = (
    "account address amount apartment benefit branch broker building claim client contract coverage damage date declared "
    "department door driver engine estimate event expert family field file form front garage glass holder house identity "
    "incident invoice kitchen license liability limit meter mirror month name notice number office order owner page parking "
    "payment period person phone place plate policy premium price product property rear receipt report risk roof room "
    "service signature state street sum supplier tax term total transfer type unit value vehicle wall water window year"
).split()


@dataclass
class Frame:
    """An original. Two frames of one origin may be alike without being copies."""

    name: str
    group: str
    origin: str
    jpeg: bytes

    def decoded(self):
        return Image.open(io.BytesIO(self.jpeg)).convert("RGB")


def frame(name, group, origin, image):
    image = image.convert("RGB")
    image.thumbnail((MAX_SIDE, MAX_SIDE))
    return Frame(name, group, origin, encoded(image, 92))


def encoded(image, quality):
    """A JPEG with color of half the resolution, as cameras and messengers write them."""
    output = io.BytesIO()
    image.save(output, "JPEG", quality=quality, subsampling="4:2:0")
    return output.getvalue()


def seeded(*of):
    """Random numbers that depend on nothing but these values."""
    return random.Random(zlib.crc32(repr(of).encode()))


@cache
def font(size):
    return ImageFont.load_default(size)


def words(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count)).capitalize()


def number(rng):
    return f"{rng.randrange(10 ** rng.randint(2, 6)):,}"


def color(rng, low=0, high=255):
    return tuple(rng.randint(low, high) for _ in range(3))


# Photographs and tiles.


def photograph(path):
    image = Image.open(path)
    if min(image.size) >= 240:
        yield frame(path.stem, "photograph", str(path), image)


def tiles(path):
    image = Image.open(path).convert("RGB")
    columns, rows = TILES
    width, height = image.width // columns, image.height // rows
    origin = path.stem.removesuffix("_dark")  # the same drawing in other colors
    for index in range(columns * rows):
        left, top = index % columns * width, index // columns * height
        yield frame(f"{path.stem}-{index}", "tile", origin, image.crop((left, top, left + width, top + height)))


def night(path):
    """A photograph with 1 to 8 % of its light, amplified eight times, with the noise of the sensor."""
    image = Image.open(path).convert("RGB")
    if min(image.size) >= 240:
        image.thumbnail((1600, 1600))
        rng = np.random.default_rng(zlib.crc32(path.stem.encode()))
        light = (np.asarray(image) / 255.0) ** 2.2 * rng.uniform(0.01, 0.08)
        light = np.clip(8 * (light + rng.normal(0, 0.002, light.shape)), 0, 1)
        image = Image.fromarray((255 * light ** (1 / 2.2)).astype(np.uint8))
        yield frame(f"night-{path.stem}", "night", str(path), image)


# Documents and dashboards.


def document(index):
    """A page of paragraphs, tables, boxes and lines in an order of its own."""
    rng = seeded("document", index)
    width, height = 930, 1316
    image = Image.new("RGB", (width, height), color(rng, 235, 255))
    draw = ImageDraw.Draw(image)
    margin, ink = rng.randint(40, 110), color(rng, 0, 70)
    y = rng.randint(30, 120)
    if rng.random() < 0.7:
        logo = rng.randint(40, 130)
        x = rng.choice((margin, width - margin - logo))
        draw.ellipse((x, y, x + logo, y + logo * rng.uniform(0.4, 1)), color(rng))
    draw.text((margin, y), words(rng, rng.randint(2, 4)), ink, font(rng.randint(24, 44)))
    y += rng.randint(60, 140)
    while y < height - 120:
        kind = rng.choice(("text", "text", "table", "box", "gap", "band"))
        size = rng.randint(13, 20)
        if kind == "text":
            for _ in range(rng.randint(2, 12)):
                draw.text((margin, y), words(rng, rng.randint(6, 13))[: int((width - 2 * margin) / size * 2)], ink, font(size))
                y += int(size * 1.4)
        elif kind == "table":
            columns, rows = rng.randint(2, 6), rng.randint(3, 12)
            for row in range(rows):
                for column in range(columns):
                    x = margin + column * (width - 2 * margin) // columns
                    text = words(rng, 1) if row == 0 or column == 0 else number(rng)
                    draw.text((x + 4, y + 3), text, ink, font(size))
                y += int(size * 1.8)
                draw.line((margin, y, width - margin, y), color(rng, 120, 200))
        elif kind == "box":
            deep = rng.randint(50, 180)
            right = rng.randint(width // 2, width - margin)
            draw.rectangle((margin, y, right, y + deep), color(rng, 170, 255), ink)
            draw.text((margin + 10, y + 10), words(rng, 5), ink, font(size))
            y += deep
        elif kind == "band":
            draw.rectangle((0, y, width, y + rng.randint(20, 60)), color(rng))
            y += 60
        y += rng.randint(15, 60)
    yield frame(f"document-{index}", "document", f"document-{index}", paper(image, rng) if index % 2 else image)


def paper(image, rng):
    """The page under light from one side, out of a camera with noise."""
    y, x = np.mgrid[0:image.height, 0:image.width] / (image.width + image.height)
    angle = rng.uniform(0, 2 * np.pi)
    light = 0.85 + rng.uniform(0.1, 0.5) * (np.cos(angle) * x + np.sin(angle) * y)
    noise = np.random.default_rng(rng.randrange(2**32)).normal(0, 3, (image.height, image.width, 1))
    return Image.fromarray(np.clip(np.asarray(image) * light[..., None] + noise, 0, 255).astype(np.uint8))


def dashboard(index):
    """A page of cards with figures and diagrams, in a grid of its own."""
    rng = seeded("dashboard", index)
    width, height = 1280, 800
    dark = rng.random() < 0.5
    image = Image.new("RGB", (width, height), color(rng, 10, 40) if dark else color(rng, 235, 255))
    draw = ImageDraw.Draw(image)
    card, ink = (color(rng, 30, 70), color(rng, 200, 255)) if dark else (color(rng, 245, 255), color(rng, 0, 80))
    bar = rng.choice((0, 60, 180, 240))
    draw.rectangle((0, 0, bar, height), color(rng))
    top = rng.choice((0, 50, 80))
    draw.rectangle((0, 0, width, top), color(rng))
    draw.text((bar + 20, 10), words(rng, 3), ink, font(26))
    columns, rows = rng.randint(1, 4), rng.randint(1, 4)
    for place in range(columns * rows):
        w, h = (width - bar) // columns, (height - top) // rows
        x, y = bar + place % columns * w + 10, top + place // columns * h + 10
        w, h = w - 20, h - 20
        draw.rounded_rectangle((x, y, x + w, y + h), 8, card)
        draw.text((x + 12, y + 8), words(rng, 2), ink, font(16))
        kind, paint = rng.choice(("bars", "line", "figure", "table", "pie")), color(rng)
        if kind == "bars":
            count = rng.randint(4, 20)
            for index_of_bar in range(count):
                left = x + 15 + index_of_bar * (w - 30) / count
                draw.rectangle((left, y + h - 10 - rng.random() * (h - 60), left + (w - 30) / count * 0.7, y + h - 10), paint)
        elif kind == "line":
            points = [(x + 15 + step * (w - 30) / 20, y + 40 + rng.random() * (h - 60)) for step in range(21)]
            draw.line(points, paint, 4)
        elif kind == "figure":
            draw.text((x + w / 4, y + h / 3), number(rng), paint, font(max(20, int(min(w / 5, h / 3)))))
        elif kind == "table":
            for line in range(int(y + 40), int(y + h - 20), 24):
                draw.text((x + 12, line), f"{words(rng, 2)}   {number(rng)}", ink, font(15))
        else:
            side, angle = min(w, h) - 60, 0
            while angle < 360:
                step = rng.randint(15, 140)
                draw.pieslice((x + 20, y + 40, x + 20 + side, y + 40 + side), angle, min(360, angle + step), color(rng))
                angle += step
    yield frame(f"dashboard-{index}", "dashboard", f"dashboard-{index}", image)


def form(index):
    """The same printed form, filled in for another person, with a portrait and a signature."""
    print_of, rng = seeded("form"), seeded("form", index)
    width, height = 930, 1316
    image = Image.new("RGB", (width, height), (250, 250, 247))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, 90), (30, 70, 130))
    draw.text((40, 25), "Declaration of the insured person", (255, 255, 255), font(36))
    for row in range(18):
        y = 130 + row * 58
        for x in (40, 490):
            if x == 490 and row < 5:
                continue
            draw.text((x, y), words(print_of, 2), (60, 60, 60), font(13))
            draw.rectangle((x, y + 18, x + 400, y + 46), None, (120, 120, 120))
            written = words(rng, rng.randint(1, 3)) if print_of.random() < 0.6 else number(rng)
            draw.text((x + 8, y + 21), written, (20, 20, 90), font(18))
    skin, hair = color(rng, 90, 230), color(rng, 10, 160)
    draw.rectangle((620, 130, 860, 410), color(rng, 150, 240))
    draw.ellipse((670, 160, 810, 330), hair)
    draw.ellipse((685, 185, 795, 345), skin)
    draw.ellipse((640, 340, 840, 480), color(rng))
    draw.rectangle((620, 411, 860, 480), (250, 250, 247))
    points = [(60 + 14 * step, 1230 + rng.randint(-35, 35)) for step in range(25)]
    draw.line(points, (20, 20, 90), 3, "curve")
    yield frame(f"form-{index}", "form", "form", image)


def car(index):
    """A drawing of a parked car from its side: the same model and viewpoint, another color, place, light and dent."""
    rng = seeded("car", index)
    width, height = 960, 720
    image = Image.new("RGB", (width, height), color(rng, 120, 220))
    draw = ImageDraw.Draw(image)
    ground = int(height * rng.uniform(0.62, 0.7))
    for _ in range(rng.randint(2, 7)):
        x, w = rng.randint(-100, width), rng.randint(60, 350)
        top = ground - rng.randint(60, 400)
        shape = draw.rectangle if rng.random() < 0.6 else draw.ellipse
        shape((x, top, x + w, ground), color(rng, 40, 220))
    draw.rectangle((0, ground, width, height), color(rng, 60, 150))
    scale = rng.uniform(0.92, 1.08)
    left, base = width * rng.uniform(0.09, 0.15), ground + height * rng.uniform(0.08, 0.12)

    def at(*points):
        return [(left + x * scale, base + y * scale) for x, y in points]

    paint = color(rng, 0, 255)
    draw.polygon(at((0, 0), (0, -90), (110, -120), (210, -220), (450, -225), (560, -125), (690, -100), (700, 0)), paint)
    draw.polygon(at((140, -125), (225, -205), (325, -208), (325, -125)), (40, 50, 60))
    draw.polygon(at((340, -125), (340, -208), (445, -208), (525, -125)), (40, 50, 60))
    for x in (140, 560):
        for radius, fill in ((68, (20, 20, 20)), (38, color(rng, 120, 200))):
            (x0, y0), (x1, y1) = at((x - radius, 5 - radius), (x + radius, 5 + radius))
            draw.ellipse((x0, y0, x1, y1), fill)
    (x0, y0), (x1, y1) = at((655, -95), (698, -60))
    draw.ellipse((x0, y0, x1, y1), (240, 240, 200))
    dent_x, dent_y, dent = rng.randint(60, 600), rng.randint(-100, -40), rng.randint(15, 50)
    (x0, y0), (x1, y1) = at((dent_x, dent_y), (dent_x + 2 * dent, dent_y + dent))
    draw.ellipse((x0, y0, x1, y1), tuple(part // 2 for part in paint))
    image = image.filter(ImageFilter.GaussianBlur(1.2))
    yield frame(f"car-{index}", "car", "car", paper(image, rng))


GENERATED = {"document": document, "dashboard": dashboard, "form": form, "car": car}
FILES = {"photograph": photograph, "tile": tiles, "night": night}


def frames(kind, of):
    """The frames of a file, or those that are drawn for a number."""
    return FILES[kind](Path(of)) if kind in FILES else GENERATED[kind](of)
