"""Subjects of photos in linear light: packaged photographs, dead-leaves scenes, and screen contents."""

from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

TITLES = ("Relatório de sinistro", "Apólice 2026/118", "Documento.pdf", "Fotos - Galeria", "Consulta de veículos", "Planilha1.xlsx")
WORDS = ("o veículo segurado foi fotografado pelo perito em 14 de maio de 2026 e apresenta danos na porta dianteira esquerda conforme "
         "laudo anexo valor estimado do reparo franquia contratada condutor habilitado local do sinistro avenida rodovia").split()


def linear(codes):
    """Linear light of sRGB codes (IEC 61966-2-1)."""
    value = codes.astype(np.float32) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)


class Photographs:
    """The photographs of a folder, scaled down far enough to remove traces of their own cameras."""

    def __init__(self, folder):
        self.files = sorted(path for path in Path(folder).iterdir() if path.suffix in (".jpg", ".ppm"))
        self.kept = {}

    def named(self, number):
        path = self.files[number % len(self.files)]
        if path not in self.kept:
            image = Image.open(path).convert("RGB")
            image = image.resize((max(2, image.width * 2 // 3), max(2, image.height * 2 // 3)), Image.Resampling.BOX)
            self.kept = {**dict(list(self.kept.items())[-6:]), path: np.asarray(image)}
        return path.stem, self.kept[path]


def resized(codes, size):
    way = cv2.INTER_AREA if codes.shape[1] > size[0] else cv2.INTER_CUBIC
    return cv2.resize(codes, size, interpolation=way)


def part(codes, size, rng, least=0.6):
    """A random part of a picture with the wanted aspect ratio, scaled to the wanted size."""
    high, wide = codes.shape[:2]
    scale = min(wide / size[0], high / size[1]) * rng.uniform(least, 1)
    w, h = max(2, int(size[0] * scale)), max(2, int(size[1] * scale))
    x, y = rng.integers(0, wide - w + 1), rng.integers(0, high - h + 1)
    return resized(codes[y:y + h, x:x + w], size)


def dead_leaves(size, rng):
    """A scene of occluding discs and squares with power-law radii, which has the statistics of natural images (Lee,
    Mumford and Huang 2001). Each shape has its own shading and texture."""
    wide, high = size
    codes = np.empty((high, wide, 3), np.float32)
    base = rng.uniform(30, 200, 3) * rng.uniform(0.5, 1) + rng.normal(0, 8, 3)
    codes[:] = base
    grain = cv2.resize(rng.standard_normal((high // 2 + 1, wide // 2 + 1)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    least, most = 2.0, high / 3
    count = int(rng.uniform(2000, 4500))
    u = rng.random(count)
    radii = (least ** -2 + u * (most ** -2 - least ** -2)) ** -0.5
    for radius in np.sort(radii)[::-1] if rng.random() < 0.5 else radii:
        x, y = rng.uniform(0, wide), rng.uniform(0, high)
        left, right = int(max(x - radius - 1, 0)), int(min(x + radius + 2, wide))
        top, bottom = int(max(y - radius - 1, 0)), int(min(y + radius + 2, high))
        if right <= left or bottom <= top:
            continue
        gy, gx = np.ogrid[top:bottom, left:right]
        far = np.hypot(gx - x, gy - y) if rng.random() < 0.7 else np.maximum(np.abs(gx - x), np.abs(gy - y)) + 0 * gx
        cover = np.clip(radius - far + 0.5, 0, 1)[..., None]
        color = rng.uniform(10, 240) * (1 + rng.normal(0, 0.2, 3))
        shading = 1 + rng.normal(0, 0.25) * (gx - x) / radius + rng.normal(0, 0.25) * (gy - y) / radius
        leaf = color * np.clip(shading, 0.2, 1.8)[..., None] + grain[top:bottom, left:right, None] * rng.uniform(0, 14)
        area = codes[top:bottom, left:right]
        area += cover * (leaf - area)
    return np.clip(codes, 0, 255).astype(np.uint8)


def font(size):
    return ImageFont.load_default(size)


def lines(size, rng, text_size, clear_type, dark):
    """A page of text. With `clear_type` subpixels are rendered separately, with FreeType's 1 2 3 2 1 filter."""
    wide, high = size
    factor = 3 if clear_type else 1
    page = Image.new("L", (wide * factor, high), 0)
    brush = ImageDraw.Draw(page)
    drawn = font(text_size)
    y = int(rng.integers(4, 20))
    while y < high - text_size:
        count = int(rng.integers(5, 14))
        text = " ".join(WORDS[int(rng.integers(len(WORDS)))] for _ in range(count))
        if rng.random() < 0.12:
            y += text_size
        if factor == 3:
            box = drawn.getbbox(text)
            line = Image.new("L", (box[2] + 2, text_size * 2), 0)
            ImageDraw.Draw(line).text((0, 0), text, font=drawn, fill=255)
            big = font(text_size * 3)
            line = Image.new("L", ((box[2] + 2) * 3, text_size * 6), 0)
            ImageDraw.Draw(line).text((0, 0), text, font=big, fill=255)
            line = line.resize(((box[2] + 2) * 3, text_size * 2), Image.Resampling.BOX)
            page.paste(line, (12 * 3, y))
        else:
            brush.text((12, y), text, font=drawn, fill=255)
        y += int(text_size * 1.5)
    ink = np.asarray(page).astype(np.float32) / 255
    if factor == 3:
        ink = cv2.filter2D(ink, -1, np.array([[1, 2, 3, 2, 1]], np.float32) / 9)
        ink = ink.reshape(high, wide, 3)
    else:
        ink = np.repeat(ink[..., None], 3, axis=2)
    paper, letters = (np.array([30, 30, 34.0]), np.array([225, 225, 220.0])) if dark else (np.array([255, 255, 255.0]), np.array([20, 20, 25.0]))
    return (paper + ink * (letters - paper)).astype(np.uint8)


def window(size, inside, title, rng):
    """Adds a window's frame around its content."""
    wide, high = size
    dark = rng.random() < 0.4
    frame = Image.new("RGB", size, (45, 45, 50) if dark else (236, 236, 240))
    brush = ImageDraw.Draw(frame)
    bar = int(rng.integers(24, 40))
    brush.rectangle((0, 0, wide, bar), fill=(60, 60, 68) if dark else tuple(int(v) for v in rng.integers(200, 250, 3)))
    brush.text((12, bar // 4), title, font=font(max(10, bar // 2)), fill=(240, 240, 240) if dark else (20, 20, 20))
    for i, color in enumerate(((232, 17, 35), (160, 160, 160), (160, 160, 160))):
        brush.rectangle((wide - (i + 1) * bar, 4, wide - i * bar - 4, bar - 4), fill=color)
    for i in range(int(rng.integers(3, 9))):
        left = 8 + i * 58
        brush.rounded_rectangle((left, bar + 4, left + 50, bar + 26), 4, fill=(90, 90, 100) if dark else (255, 255, 255))
    top = bar + 32
    picture = inside((max(16, wide - 8), max(16, high - top - 26)))
    frame.paste(Image.fromarray(picture), (4, top))
    brush.text((8, high - 20), "Pronto", font=font(12), fill=(150, 150, 150))
    return np.asarray(frame)


def shown(size, photographs, rng):
    """The content of a display with this many pixels: its name, and sRGB codes."""
    wide, high = size
    name, photograph = photographs.named(int(rng.integers(1 << 30)))

    def picture(wanted):
        return part(photograph, wanted, rng)

    kind = str(rng.choice(["photograph", "viewer", "window", "document", "desktop", "dashboard", "leaves"],
                          p=[0.5, 0.13, 0.1, 0.1, 0.07, 0.04, 0.06]))
    clear, dark = bool(rng.random() < 0.6), bool(rng.random() < 0.3)
    if kind == "photograph":
        codes = picture(size)
    elif kind == "leaves":
        codes = dead_leaves(size, rng)
    elif kind == "viewer":
        codes = np.full((high, wide, 3), int(rng.integers(0, 40)), np.uint8)
        w, h = (int(wide * rng.uniform(0.7, 0.95)), high) if rng.random() < 0.5 else (wide, int(high * rng.uniform(0.7, 0.95)))
        x, y = (wide - w) // 2, (high - h) // 2
        codes[y:y + h, x:x + w] = picture((w, h))
    elif kind == "window":
        codes = window(size, picture, TITLES[int(rng.integers(len(TITLES)))], rng)
    elif kind == "document":
        codes = window(size, lambda wanted: lines(wanted, rng, int(rng.integers(11, 20)), clear, dark), TITLES[2], rng)
    elif kind == "desktop":
        codes = picture(size).copy()
        for _ in range(int(rng.integers(1, 3))):
            w, h = int(wide * rng.uniform(0.3, 0.6)), int(high * rng.uniform(0.3, 0.6))
            if min(w, h) < 140:
                continue
            x, y = int(rng.integers(0, wide - w + 1)), int(rng.integers(0, high - h + 1))
            codes[y:y + h, x:x + w] = window((w, h), lambda wanted: lines(wanted, rng, 13, clear, dark), TITLES[4], rng)
    else:
        image = Image.new("RGB", size, (24, 28, 36) if dark else (245, 246, 248))
        brush = ImageDraw.Draw(image)
        for _ in range(int(rng.integers(8, 30))):
            x, y = int(rng.integers(0, wide)), int(rng.integers(0, high))
            w, h = int(rng.integers(20, max(21, wide // 4))), int(rng.integers(10, max(11, high // 4)))
            brush.rectangle((x, y, x + w, y + h), fill=tuple(int(v) for v in rng.integers(30, 240, 3)))
            brush.text((x + 4, y + 2), str(int(rng.integers(1000))), font=font(14), fill=(255, 255, 255))
        codes = np.asarray(image)
    return f"{kind} {name}", codes
