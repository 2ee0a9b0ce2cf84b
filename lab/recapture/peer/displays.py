"""Displays: where the subpixels of each kind lie, and the light that leaves them.

A layout is a cell that repeats, a few logical pixels wide and high, with its emitters. Lengths are in logical pixels. Layouts
and their proportions follow published micrographs of panels; a panel's own aperture ratio is drawn.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from geometry import place

RED, GREEN, BLUE, WHITE = range(4)
RECTANGLE, ELLIPSE, DIAMOND, CHEVRON = range(4)

KINDS = ("LCD RGB", "LCD BGR", "LCD chevron", "LCD split", "LCD wide matrix", "OLED PenTile", "OLED stripe", "OLED S-stripe",
         "WOLED", "QD-OLED", "LED wall")


@dataclass
class Layout:
    """Columns of `emitters`: color, center x and y, half width and half height, shape, logical pixel x and y."""

    width: float
    height: float
    emitters: np.ndarray
    slant: float = 0.0

    def gains(self):
        """Gains of each color, so that white is as bright as its logical pixel."""
        grid = (np.arange(240) + 0.5) / 240
        x, y = np.meshgrid(grid * self.width, grid * self.height)
        lit = np.zeros(4)
        for color, cx, cy, hx, hy, shape, _, _ in self.emitters:
            dx = (x - cx + self.width / 2) % self.width - self.width / 2
            dy = (y - cy + self.height / 2) % self.height - self.height / 2
            if shape == ELLIPSE:
                inside = (dx / hx) ** 2 + (dy / hy) ** 2 < 1
            elif shape == DIAMOND:
                inside = np.abs(dx) / hx + np.abs(dy) / hy < 1
            else:
                inside = (np.abs(dx) < hx) & (np.abs(dy) < hy)
            lit[int(color)] += inside.mean()
        return np.where(lit > 0, 1 / np.maximum(lit, 1e-6), 0).astype(np.float32)


def stripes(order, fill, gap, shape=RECTANGLE, slant=0.0):
    """Three adjacent stripes; `fill` of each third is lit, and the height except `gap`."""
    emitters = [(color, (i + 0.5) / 3, 0.5, fill / 6, (1 - gap) / 2, shape, 0, 0) for i, color in enumerate(order)]
    return Layout(1, 1, np.array(emitters, np.float32), slant)


def layout(kind, rng):
    """A panel of this kind with random proportions."""
    fill, gap = rng.uniform(0.62, 0.9), rng.uniform(0.08, 0.28)
    rgb = (RED, GREEN, BLUE)
    if kind == "LCD RGB":
        return stripes(rgb, fill, gap)
    if kind == "LCD BGR":
        return stripes(rgb[::-1], fill, gap)
    if kind == "LCD chevron":
        return stripes(rgb, fill, gap, CHEVRON, rng.uniform(0.08, 0.2))
    if kind == "LCD split":
        # Two domains of unequal height in each subpixel, one below the other.
        upper = rng.uniform(0.32, 0.5)
        emitters = []
        for i, color in enumerate(rgb):
            emitters.append((color, (i + 0.5) / 3, upper / 2, fill / 6, upper / 2 - gap / 4, RECTANGLE, 0, 0))
            emitters.append((color, (i + 0.5) / 3, (1 + upper) / 2, fill / 6, (1 - upper) / 2 - gap / 4, RECTANGLE, 0, 0))
        return Layout(1, 1, np.array(emitters, np.float32))
    if kind == "LCD wide matrix":
        return stripes(rgb, rng.uniform(0.4, 0.6), rng.uniform(0.25, 0.45))
    if kind == "OLED PenTile":
        # Green in each logical pixel, with red and blue alternating between them.
        g, rb = rng.uniform(0.13, 0.2), rng.uniform(0.22, 0.32)
        emitters = [(GREEN, x + 0.5, y + 0.5, g, g * 1.2, ELLIPSE, x, y) for x in (0, 1) for y in (0, 1)]
        for x, y in ((0, 0), (1, 1)):
            emitters.append((RED, x, y, rb, rb, DIAMOND, x, y))
            emitters.append((BLUE, (x + 1) % 2, y, rb * 1.1, rb * 1.1, DIAMOND, (x + 1) % 2, y))
        return Layout(2, 2, np.array(emitters, np.float32))
    if kind == "OLED stripe":
        widths = np.array([0.26, 0.24, 0.34]) * rng.uniform(0.6, 0.85)
        emitters = [(c, (i + 0.5) / 3, 0.5, w / 2, rng.uniform(0.3, 0.4), RECTANGLE, 0, 0)
                    for i, (c, w) in enumerate(zip(rgb, widths))]
        return Layout(1, 1, np.array(emitters, np.float32))
    if kind == "OLED S-stripe":
        # Red above green, and beside them blue with their common height.
        fill = rng.uniform(0.6, 0.8)
        return Layout(1, 1, np.array([
            (RED, 0.28, 0.27, 0.2 * fill, 0.2 * fill, RECTANGLE, 0, 0),
            (GREEN, 0.28, 0.73, 0.2 * fill, 0.2 * fill, RECTANGLE, 0, 0),
            (BLUE, 0.75, 0.5, 0.2 * fill, 0.44 * fill, RECTANGLE, 0, 0)], np.float32))
    if kind == "WOLED":
        fill = rng.uniform(0.65, 0.85)
        emitters = [(c, (i + 0.5) / 4, 0.5, fill / 8, rng.uniform(0.3, 0.42), RECTANGLE, 0, 0)
                    for i, c in enumerate((RED, WHITE, BLUE, GREEN))]
        return Layout(1, 1, np.array(emitters, np.float32))
    if kind == "QD-OLED":
        # A triangle: green above, red and blue below.
        fill = rng.uniform(0.75, 0.95)
        return Layout(1, 1, np.array([
            (GREEN, 0.5, 0.27, 0.34 * fill, 0.2 * fill, RECTANGLE, 0, 0),
            (RED, 0.26, 0.74, 0.2 * fill, 0.22 * fill, RECTANGLE, 0, 0),
            (BLUE, 0.75, 0.74, 0.2 * fill, 0.22 * fill, RECTANGLE, 0, 0)], np.float32))
    if kind == "LED wall":
        # LED packages with three dies each, on black.
        r, apart = rng.uniform(0.1, 0.2), rng.uniform(0.0, 0.14)
        emitters = [(c, 0.5 + apart * dx, 0.5 + apart * dy, r, r, ELLIPSE, 0, 0)
                    for c, dx, dy in ((RED, -1, 0.6), (GREEN, 0, -1), (BLUE, 1, 0.6))]
        return Layout(1, 1, np.array(emitters, np.float32))
    raise ValueError(kind)


@njit(fastmath=True, cache=True)
def ramp(inside, width):
    """The fraction of a footprint of this width inside an edge, for a signed distance of its center: a smooth step."""
    t = min(max(inside / width + 0.5, 0.0), 1.0)
    return t * t * (3 - 2 * t)


@njit(fastmath=True, cache=True)
def render(out, content, emitters, gains, cell_width, cell_height, slant, view, footprint, black):
    """The light of a display at each fine sample of the sensor, by color.

    `view` is the result of `geometry.View.numbers`; `footprint` the width of a sample in logical pixels; `black` the
    light of a dark pixel."""
    rows, columns = out.shape[:2]
    high, wide = content.shape[:2]
    white = 0.75 if gains[WHITE] > 0 else 0.0
    for j in range(rows):
        for i in range(columns):
            for e in range(3):
                x, y = place(view, i, j, e)
                light = 0.0
                for n in range(emitters.shape[0]):
                    color = int(emitters[n, 0])
                    if color != e and color != WHITE:
                        continue
                    gx, gy = (x - emitters[n, 1]) / cell_width, (y - emitters[n, 2]) / cell_height
                    kx, ky = np.floor(gx + 0.5), np.floor(gy + 0.5)
                    near_y = 1.0 if gy > ky else -1.0
                    near_x = 1.0 if gx > kx else -1.0
                    for again in range(4):
                        mx, my = kx + near_x * (again % 2), ky + near_y * (again // 2)
                        dx, dy = (gx - mx) * cell_width, (gy - my) * cell_height
                        hx, hy, shape = emitters[n, 3], emitters[n, 4], int(emitters[n, 5])
                        if abs(dx) > hx + footprint + 0.25 or abs(dy) > hy + footprint:
                            continue
                        if shape == ELLIPSE:
                            far = np.sqrt((dx / hx) ** 2 + (dy / hy) ** 2)
                            cover = ramp((1 - far) * min(hx, hy), footprint)
                        elif shape == DIAMOND:
                            cover = ramp((1 - abs(dx) / hx - abs(dy) / hy) * min(hx, hy) * 0.7071, footprint)
                        else:
                            if shape == CHEVRON:
                                turned = 1.0 if int(my) % 2 == 0 else -1.0
                                dx -= slant * dy * turned
                            cover = ramp(hx - abs(dx), footprint) * ramp(hy - abs(dy), footprint)
                        if cover <= 0.0:
                            continue
                        px = int(mx * cell_width + emitters[n, 6])
                        py = int(my * cell_height + emitters[n, 7])
                        if px < 0 or py < 0 or px >= wide or py >= high:
                            continue
                        # A white emitter takes a fraction of the light that the three colors have in common.
                        common = white * min(content[py, px, 0], content[py, px, 1], content[py, px, 2])
                        value = common if color == WHITE else content[py, px, e] - common
                        light += cover * gains[color] * (value + black)
                out[j, i, e] = light


@njit(fastmath=True, cache=True)
def render_continuous(out, content, view, black):
    """The same content without visible pixels, as continuous light."""
    rows, columns = out.shape[:2]
    high, wide = content.shape[:2]
    for j in range(rows):
        for i in range(columns):
            for e in range(3):
                x, y = place(view, i, j, e)
                x, y = min(max(x - 0.5, 0.0), wide - 1.001), min(max(y - 0.5, 0.0), high - 1.001)
                px, py = int(x), int(y)
                fx, fy = x - px, y - py
                upper = content[py, px, e] * (1 - fx) + content[py, px + 1, e] * fx
                lower = content[py + 1, px, e] * (1 - fx) + content[py + 1, px + 1, e] * fx
                out[j, i, e] = upper * (1 - fy) + lower * fy + black
