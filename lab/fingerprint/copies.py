"""What happens to a picture on its way: copies of an image, for each kind a function of it and of random numbers."""

import io

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter

from pictures import MAX_SIDE, color, encoded, font, words

SCREEN = (720, 1560)


def recoded(image, side, quality):
    """The image as a messenger sends it that scales 2,560 pixels to this side; smaller frames by the same factor."""
    factor = side / MAX_SIDE
    image = image.resize((round(image.width * factor), round(image.height * factor)), Image.Resampling.LANCZOS)
    return resaved(image, quality)


def resaved(image, quality):
    return Image.open(io.BytesIO(encoded(image, quality))).convert("RGB")


def whatsapp(image, _):
    return recoded(image, 1600, 70)


def twice(image, rng):
    """Forwarded, saved, cut to even sides, and sent again."""
    return resaved(whatsapp(image, rng), 65)


def telegram(image, _):
    return recoded(image, 1280, 80)


def small(image, _):
    return recoded(image, 800, 30)


def bars(image, rng):
    """A screenshot of a viewer: the picture as wide as the screen, within bars of one color."""
    background = rng.choice(((0, 0, 0), (11, 20, 26), (18, 18, 18), (255, 255, 255)))
    screen = Image.new("RGB", SCREEN, background)
    factor = min(SCREEN[0] / image.width, SCREEN[1] * 0.8 / image.height)
    shown = image.resize((round(image.width * factor), round(image.height * factor)), Image.Resampling.BILINEAR)
    screen.paste(shown, ((SCREEN[0] - shown.width) // 2, (SCREEN[1] - shown.height) // 2))
    return screen


def plain_screenshot(image, rng):
    return resaved(bars(image, rng), 85)


def screenshot(image, rng):
    """With a clock and symbols at the top, a name above the picture, and a field for an answer below it."""
    screen = bars(image, rng)
    draw = ImageDraw.Draw(screen)
    ink = (20, 20, 20) if screen.getpixel((0, 0))[0] > 128 else (240, 240, 240)
    draw.text((30, 12), f"{rng.randrange(24)}:{rng.randrange(60):02}", ink, font(24))
    for x in (590, 630, 670):
        draw.rectangle((x, 16, x + 26, 36), ink)
    draw.line((50, 85, 30, 100, 50, 115), ink, 4)
    draw.text((80, 80), words(rng, 2), ink, font(28))
    draw.text((80, 112), words(rng, 3), ink, font(18))
    draw.rounded_rectangle((30, 1460, 600, 1520), 30, None, ink, 2)
    draw.text((60, 1478), words(rng, 1), ink, font(22))
    return resaved(screen, 85)


def crop(image, rng):
    """Without up to 10 % of each side's length, which is cut from both ends or one, and then sent."""
    box = []
    for length in image.size:
        cut, before = length * rng.uniform(0, 0.1), rng.random()
        box.append((round(cut * before), round(length - cut * (1 - before))))
    (left, right), (top, bottom) = box
    return whatsapp(image.crop((left, top, right, bottom)), rng)


def brighter(image, _):
    return resaved(ImageEnhance.Brightness(image).enhance(1.25), 85)


def darker(image, _):
    return resaved(ImageEnhance.Brightness(image).enhance(0.75), 85)


def overlay(image, rng):
    """With an opaque label over 7 % of the picture, and then sent."""
    image = image.copy()
    share = 0.07 * image.width * image.height
    width = min(image.width - 1, round((share * rng.uniform(1, 5)) ** 0.5))
    height = min(image.height - 1, round(share / width))
    x, y = rng.randrange(image.width - width), rng.randrange(image.height - height)
    draw = ImageDraw.Draw(image)
    draw.rectangle((x, y, x + width, y + height), color(rng))
    draw.text((x + width / 10, y + height / 4), words(rng, 2), color(rng), font(max(8, height // 3)))
    return whatsapp(image, rng)


def printed(image, rng):
    """A photo of a print that lies on a table: grey ink, paper's tone, perspective, light from a side, blur and noise."""
    image = image.copy()
    image.thumbnail((1200, 1200))
    ink = np.asarray(image) / 255.0
    sheet = Image.fromarray((255 * (0.12 + 0.78 * ink ** rng.uniform(0.9, 1.2)) * np.array((1, 0.98, 0.93))).astype(np.uint8))
    margin = round(0.06 * max(sheet.size))
    page = Image.new("RGB", (sheet.width + 2 * margin, sheet.height + 2 * margin), (235, 232, 224))
    page.paste(sheet, (margin, margin))
    width, height = page.size
    table = Image.new("RGB", (round(width * 1.25), round(height * 1.25)), color(rng, 40, 170))
    corners = [
        (x + rng.uniform(-0.06, 0.06) * width, y + rng.uniform(-0.06, 0.06) * height)
        for x, y in ((0.1, 0.1), (0.1, 1.1), (1.1, 1.1), (1.1, 0.1))
        for x, y in ((x * width, y * height),)
    ]
    sent = perspective(corners, ((0, 0), (0, height), (width, height), (width, 0)))
    moved = page.transform(table.size, Image.Transform.PERSPECTIVE, sent, Image.Resampling.BICUBIC)
    covered = Image.new("L", page.size, 255).transform(table.size, Image.Transform.PERSPECTIVE, sent)
    table.paste(moved, mask=covered)
    y, x = np.mgrid[0 : table.height, 0 : table.width] / max(table.size)
    angle = rng.uniform(0, 2 * np.pi)
    light = 0.95 + rng.uniform(0.1, 0.4) * (np.cos(angle) * (x - 0.5) + np.sin(angle) * (y - 0.5))
    blurred = np.asarray(table.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 1.5)))) * light[..., None]
    noise = np.random.default_rng(rng.randrange(2**32)).normal(0, 4, blurred.shape)
    return resaved(Image.fromarray(np.clip(blurred + noise, 0, 255).astype(np.uint8)), 85)


def perspective(places, of):
    """The eight coefficients of Pillow's perspective that shows the points `of` at `places`."""
    rows = []
    for (x, y), (u, v) in zip(places, of, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    return np.linalg.solve(np.array(rows), np.array(of).flatten())


KINDS = {
    "WhatsApp: 1600 px, quality 70": whatsapp,
    "the same, compressed again": twice,
    "Telegram: 1280 px, quality 80": telegram,
    "800 px, quality 30": small,
    "screenshot, bars only": plain_screenshot,
    "screenshot with signs": screenshot,
    "crop of up to 10 % an axis": crop,
    "brightness +25 %": brighter,
    "brightness −25 %": darker,
    "label over 7 %": overlay,
    "photo of a print": printed,
}
