"""Fine textures of the world, as the reflectance of each color at a point.

Each function takes a point in periods (1 is the texture's finest repeat along x), the width of a sample in periods,
four random numbers from 0 to 1, six colors, and a table of noise. `KINDS` lists the functions with the range of
periods in frame pixels at which they are photographed, down to the distance at which the subject fills a frame."""

import numpy as np
from numba import njit

from displays import ramp
from geometry import place

NOISE = 512


def noise_table(rng):
    return rng.standard_normal((NOISE, NOISE)).astype(np.float32)


@njit(fastmath=True, cache=True)
def noise(table, x, y):
    """Smooth noise: random values at integer points, with cubic interpolation."""
    i, j = np.floor(x), np.floor(y)
    fx, fy = x - i, y - j
    fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    a, b = int(i) & (NOISE - 1), int(j) & (NOISE - 1)
    a1, b1 = (a + 1) & (NOISE - 1), (b + 1) & (NOISE - 1)
    return (table[b, a] * (1 - fx) + table[b, a1] * fx) * (1 - fy) + (table[b1, a] * (1 - fx) + table[b1, a1] * fx) * fy


@njit(fastmath=True, cache=True)
def pick(table, i, j):
    """A pseudorandom number for a cell."""
    return table[(int(j) * 31 + int(i) * 7) & (NOISE - 1), (int(i) * 17 + int(j) * 3) & (NOISE - 1)]


@njit(fastmath=True, cache=True)
def frac(x):
    return x - np.floor(x)


@njit(fastmath=True, cache=True)
def tone(c, k, light):
    return c[k, 0] * light, c[k, 1] * light, c[k, 2] * light


@njit(fastmath=True, cache=True)
def blend(c, k, m, t, light):
    return ((c[k, 0] * (1 - t) + c[m, 0] * t) * light, (c[k, 1] * (1 - t) + c[m, 1] * t) * light,
            (c[k, 2] * (1 - t) + c[m, 2] * t) * light)


@njit(fastmath=True, cache=True)
def yarn(x, y, over, p, c, nz, warp, weft):
    """A crossing of two rounded yarns of uneven thickness. x and y are in yarns."""
    i, j = np.floor(x), np.floor(y)
    fx, fy = x - i - 0.5, y - j - 0.5
    uneven = 0.1 * noise(nz, i * 3.7, y * 0.6) if over else 0.1 * noise(nz, x * 0.6, j * 3.7 + 91)
    across, along = (fx, fy) if over else (fy, fx)
    round_ = 1 - 2.6 * across * across - 0.9 * along * along
    light = max(0.12, round_ + uneven) * (1 + 0.05 * pick(nz, i if over else j, 5))
    return tone(c, warp if over else weft, light)


@njit(fastmath=True, cache=True)
def plain_weave(x, y, w, p, c, nz):
    x, y = 2 * x + 0.12 * noise(nz, x * 0.2, y * 0.2), 2 * y + 0.12 * noise(nz, x * 0.2 + 50, y * 0.2)
    return yarn(x, y, (int(np.floor(x)) + int(np.floor(y))) % 2 == 0, p, c, nz, 0, 1 if p[0] < 0.4 else 0)


@njit(fastmath=True, cache=True)
def twill(x, y, w, p, c, nz):
    x, y = 4 * x * 0.5 + 0.1 * noise(nz, x * 0.2, y * 0.2), 2 * y
    return yarn(x, y, (int(np.floor(x)) + int(np.floor(y))) % 4 < 2, p, c, nz, 0, 1)


@njit(fastmath=True, cache=True)
def denim(x, y, w, p, c, nz):
    x, y = 3 * x + 0.15 * noise(nz, x * 0.3, y * 0.15), 3 * y
    r, g, b = yarn(x, y, (int(np.floor(x)) + int(np.floor(y))) % 3 != 0, p, c, nz, 0, 1)
    worn = 1 + 0.12 * noise(nz, x * 0.07, y * 0.07)
    return r * 0.35 * worn, g * 0.45 * worn, b * 0.8 * worn


@njit(fastmath=True, cache=True)
def herringbone(x, y, w, p, c, nz):
    x, y = 4 * x * 0.5, 2 * y
    turned = int(np.floor(x / 12)) % 2 == 0
    k = int(np.floor(x)) + (int(np.floor(y)) if turned else -int(np.floor(y)))
    return yarn(x, y, k % 4 < 2, p, c, nz, 0, 1)


@njit(fastmath=True, cache=True)
def satin(x, y, w, p, c, nz):
    x, y = 5 * x, 5 * y
    return yarn(x, y, (int(np.floor(x)) * 2 + int(np.floor(y))) % 5 != 0, p, c, nz, 0, 0)


@njit(fastmath=True, cache=True)
def basket(x, y, w, p, c, nz):
    x, y = 4 * x + 0.2 * noise(nz, x * 0.3, y * 0.3), 4 * y + 0.2 * noise(nz, x * 0.3 + 9, y * 0.3)
    return yarn(x, y, (int(np.floor(x / 2)) + int(np.floor(y / 2))) % 2 == 0, p, c, nz, 0, 2)


@njit(fastmath=True, cache=True)
def tartan(x, y, w, p, c, nz):
    x, y = 2 * x, 2 * y
    over = (int(np.floor(x)) + int(np.floor(y))) % 4 < 2
    i = int(abs(np.floor(x / (5 + 9 * p[1])))) % 4
    j = int(abs(np.floor(y / (5 + 9 * p[1])))) % 4
    return yarn(x, y, over, p, c, nz, i, j)


@njit(fastmath=True, cache=True)
def dyed_yarns(x, y, w, p, c, nz):
    """Yarns of alternating colors: a woven pattern whose hue changes from thread to thread."""
    x, y = 3 * x, 3 * y
    over = (int(np.floor(x)) + int(np.floor(y))) % 2 == 0
    return yarn(x, y, over, p, c, nz, int(abs(np.floor(x))) % 3, int(abs(np.floor(y))) % 3)


@njit(fastmath=True, cache=True)
def knit(x, y, w, p, c, nz):
    x, y = x + 0.07 * noise(nz, x * 0.25, y * 0.25), y * 1.3 + 0.07 * noise(nz, x * 0.25 + 33, y * 0.25)
    fx = frac(x) - 0.5
    leg = frac(y + 0.9 * abs(fx)) - 0.5
    light = 1 - 2.4 * leg * leg - 1.1 * (abs(fx) - 0.25) ** 2 * 4
    light -= 0.5 * ramp(0.06 - abs(abs(fx) - 0.5), max(w, 0.05)) + 0.3 * ramp(0.05 - abs(fx), max(w, 0.05))
    return tone(c, 0 if pick(nz, np.floor(y / 8), 3) < 0.6 else 1, max(0.1, light))


@njit(fastmath=True, cache=True)
def corduroy(x, y, w, p, c, nz):
    ridge = np.cos(np.pi * (frac(x + 0.02 * noise(nz, x * 0.1, y * 0.1)) - 0.5))
    return tone(c, 0, 0.2 + 0.8 * ridge * (1 + 0.12 * noise(nz, x * 6, y * 3)))


@njit(fastmath=True, cache=True)
def terry(x, y, w, p, c, nz):
    loop = noise(nz, x * 2 + 0.3 * noise(nz, x, y), y * 2)
    return tone(c, 0, max(0.1, 0.6 + 0.2 * loop + 0.1 * np.cos(2 * np.pi * x) * np.cos(2 * np.pi * y)))


@njit(fastmath=True, cache=True)
def square_mesh(x, y, w, p, c, nz):
    """An insect screen in front of something else."""
    half = 0.06 + 0.12 * p[0]
    dx, dy = abs(frac(x) - 0.5), abs(frac(y) - 0.5)
    wire = max(ramp(half - dx, max(w, 0.02)), ramp(half - dy, max(w, 0.02)))
    behind = 0.55 + 0.28 * noise(nz, x * 0.03, y * 0.03)
    return blend(c, 2 if noise(nz, x * 0.01, y * 0.013) > 0 else 3, 0, wire, behind + (0.5 - behind) * wire)


@njit(fastmath=True, cache=True)
def tulle(x, y, w, p, c, nz):
    """A hexagonal net of three sets of threads."""
    a, b = x * 2, y * 2 / 0.866
    q = min(min(abs(frac(a) - 0.5), abs(frac(a * 0.5 + b * 0.5) - 0.5)), abs(frac(a * 0.5 - b * 0.5) - 0.5))
    thread = ramp(0.09 + 0.05 * p[0] - q, max(w, 0.03))
    behind = 0.35 + 0.2 * noise(nz, x * 0.04, y * 0.04)
    return blend(c, 3, 0, thread, behind + 0.6 * thread)


@njit(fastmath=True, cache=True)
def perforated(x, y, w, p, c, nz):
    """Round holes, with every other row shifted."""
    row = np.floor(y / 0.866)
    fx, fy = frac(x + 0.5 * (int(row) % 2)) - 0.5, (frac(y / 0.866) - 0.5) * 0.866
    hole = ramp(0.22 + 0.16 * p[0] - np.sqrt(fx * fx + fy * fy), max(w, 0.03))
    return blend(c, 0, 4, hole, (1 - 0.92 * hole) * (0.8 + 0.06 * noise(nz, x * 5, y * 0.2)))


@njit(fastmath=True, cache=True)
def speaker(x, y, w, p, c, nz):
    fx, fy = abs(frac(x) - 0.5), abs(frac(y) - 0.5)
    hole = ramp(0.3 - fx, max(w, 0.03)) * ramp(0.3 - fy, max(w, 0.03))
    return blend(c, 0, 4, hole, 0.6 * (1 - 0.95 * hole))


@njit(fastmath=True, cache=True)
def chain_link(x, y, w, p, c, nz):
    a, b = frac((x + y) * 0.707) - 0.5, frac((x - y) * 0.707) - 0.5
    wire = max(ramp(0.1 - abs(a), max(w, 0.03)), ramp(0.1 - abs(b), max(w, 0.03)))
    behind = 0.5 + 0.3 * noise(nz, x * 0.08, y * 0.08)
    return blend(c, 3, 0, wire, behind * (1 - wire) + 0.8 * wire)


@njit(fastmath=True, cache=True)
def expanded_metal(x, y, w, p, c, nz):
    s = 0.5 * np.sin(2 * np.pi * x)
    strand = max(ramp(0.12 - abs(frac(2 * y + s) - 0.5), max(2 * w, 0.05)), ramp(0.12 - abs(frac(2 * y - s) - 0.5), max(2 * w, 0.05)))
    return blend(c, 4, 0, strand, 0.15 + 0.7 * strand)


@njit(fastmath=True, cache=True)
def grille(x, y, w, p, c, nz):
    slat = frac(x)
    light = ramp(0.36 - abs(slat - 0.5), max(w, 0.03)) * (0.5 + 0.8 * slat)
    return tone(c, 0, 0.06 + light)


@njit(fastmath=True, cache=True)
def corrugated(x, y, w, p, c, nz):
    return tone(c, 0, 0.55 + 0.4 * np.sin(2 * np.pi * x) * (1 + 0.1 * noise(nz, x * 0.2, y * 0.05)) + 0.03 * noise(nz, x * 4, y * 4))


@njit(fastmath=True, cache=True)
def brick(x, y, w, p, c, nz):
    row = np.floor(y * 1.9)
    bx = x * 0.9 + 0.5 * (int(row) % 2)
    fx, fy = abs(frac(bx) - 0.5), abs(frac(y * 1.9) - 0.5)
    inside = ramp(0.47 - fx, max(w, 0.02)) * ramp(0.44 - fy, max(2 * w, 0.03))
    light = 0.75 + 0.13 * pick(nz, np.floor(bx), row) + 0.05 * noise(nz, x * 7, y * 7)
    return blend(c, 5, 0, inside, light)


@njit(fastmath=True, cache=True)
def tiles(x, y, w, p, c, nz):
    fx, fy = abs(frac(x) - 0.5), abs(frac(y) - 0.5)
    inside = ramp(0.455 - fx, max(w, 0.02)) * ramp(0.455 - fy, max(w, 0.02))
    return blend(c, 5, 0, inside, 0.85 + 0.05 * pick(nz, np.floor(x), np.floor(y)))


@njit(fastmath=True, cache=True)
def mosaic(x, y, w, p, c, nz):
    i, j = np.floor(x), np.floor(y)
    fx, fy = abs(frac(x) - 0.5), abs(frac(y) - 0.5)
    inside = ramp(0.44 - fx, max(w, 0.02)) * ramp(0.44 - fy, max(w, 0.02))
    which = int(abs(pick(nz, i, j)) * 997) % 5
    return blend(c, 5, which, inside, 0.8 + 0.12 * pick(nz, i + 40, j))


@njit(fastmath=True, cache=True)
def parquet(x, y, w, p, c, nz):
    i, j = np.floor(x / 4), np.floor(y / 4)
    turned = (int(i) + int(j)) % 2 == 0
    a, b = (x, y) if turned else (y, x)
    gap = ramp(0.03 - abs(frac(a) - 0.5) + 0.45, max(w, 0.03))
    grain = 0.1 * noise(nz, a * 6, b * 0.4) + 0.12 * pick(nz, np.floor(a), np.floor(b / 4))
    return tone(c, 0, (0.7 + grain) * (0.45 + 0.55 * gap))


@njit(fastmath=True, cache=True)
def roof_tiles(x, y, w, p, c, nz):
    row = np.floor(y * 0.7)
    fx, fy = frac(x + 0.5 * (int(row) % 2)), frac(y * 0.7)
    curve = np.sin(np.pi * fx)
    return tone(c, 0, (0.25 + 0.6 * curve) * (0.45 + 0.55 * ramp(fy - 0.12, max(w, 0.08))) * (1 + 0.1 * pick(nz, np.floor(x), row)))


@njit(fastmath=True, cache=True)
def facade(x, y, w, p, c, nz):
    i, j = np.floor(x), np.floor(y * 0.7)
    fx, fy = abs(frac(x) - 0.5), abs(frac(y * 0.7) - 0.5)
    window = ramp(0.27 - fx, max(w, 0.02)) * ramp(0.32 - fy, max(w, 0.02))
    lit = 0.3 + 0.25 * pick(nz, i, j)
    return blend(c, 0, 2, window, 0.8 * (1 - window) + lit * window)


@njit(fastmath=True, cache=True)
def blinds(x, y, w, p, c, nz):
    f = frac(y + 0.03 * noise(nz, x * 0.05, np.floor(y) * 3))
    return tone(c, 0, 0.15 + 0.8 * f * ramp(0.9 - f, max(w, 0.05)))


@njit(fastmath=True, cache=True)
def fence(x, y, w, p, c, nz):
    slat = ramp(0.33 - abs(frac(x) - 0.5), max(w, 0.03))
    behind = 0.4 + 0.2 * noise(nz, x * 0.7, y * 0.7)
    return blend(c, 3, 0, slat, behind * (1 - slat) + slat * (0.8 + 0.06 * noise(nz, x * 9, y * 0.5)))


@njit(fastmath=True, cache=True)
def keyboard(x, y, w, p, c, nz):
    row = np.floor(y)
    kx = x + 0.25 * row
    fx, fy = abs(frac(kx) - 0.5), abs(frac(y) - 0.5)
    key = ramp(0.42 - fx, max(w, 0.04)) * ramp(0.42 - fy, max(w, 0.04))
    glyph = ramp(0.12 - abs(frac(kx) - 0.4 + 0.1 * pick(nz, np.floor(kx), row)), max(w, 0.06)) * ramp(0.14 - abs(frac(y) - 0.4), max(w, 0.06))
    return tone(c, 0, 0.05 + 0.25 * key + 0.6 * glyph * key)


@njit(fastmath=True, cache=True)
def dot(x, y, angle, wanted, w):
    """The ink of an amplitude-modulated screen at an angle: a thresholded cosine."""
    c, s = np.cos(angle), np.sin(angle)
    a, b = c * x + s * y, c * y - s * x
    level = 0.5 + 0.25 * (np.cos(2 * np.pi * a) + np.cos(2 * np.pi * b))
    return ramp(level - (1 - wanted), max(2.2 * w, 0.1))


@njit(fastmath=True, cache=True)
def halftone(x, y, w, p, c, nz):
    """One ink on paper, with a picture as halftone dots."""
    wanted = min(max(0.45 + 0.3 * noise(nz, x * 0.04, y * 0.04), 0.0), 1.0)
    return blend(c, 5, 4, dot(x, y, 0.785, wanted, w), 0.9)


@njit(fastmath=True, cache=True)
def rosette(x, y, w, p, c, nz):
    """Four inks at 15, 75, 0 and 45 degrees."""
    r, g, b = 0.92, 0.9, 0.86
    for k in range(4):
        angle = (0.262, 1.309, 0.0, 0.785)[k]
        wanted = min(max(0.4 + 0.35 * noise(nz, x * 0.03 + 71 * k, y * 0.03), 0.0), 1.0) * (0.35 if k == 3 else 1.0)
        ink = dot(x, y, angle, wanted, w)
        r *= 1 - ink * (0.95, 0.15, 0.05, 0.9)[k]
        g *= 1 - ink * (0.45, 0.85, 0.08, 0.9)[k]
        b *= 1 - ink * (0.15, 0.4, 0.9, 0.9)[k]
    return r, g, b


@njit(fastmath=True, cache=True)
def inkjet(x, y, w, p, c, nz):
    """Frequency-modulated dots of three inks, without a period."""
    r, g, b = 0.95, 0.94, 0.92
    for k in range(3):
        i, j = np.floor(x * 2), np.floor(y * 2)
        wanted = 0.5 + 0.35 * noise(nz, x * 0.05 + 60 * k, y * 0.05)
        ink = 1.0 if 0.5 + 0.35 * pick(nz, i + 71 * k, j) < wanted else 0.0
        r *= 1 - 0.8 * ink * (1.0 if k == 0 else 0.1)
        g *= 1 - 0.8 * ink * (1.0 if k == 1 else 0.1)
        b *= 1 - 0.8 * ink * (1.0 if k == 2 else 0.1)
    return r, g, b


@njit(fastmath=True, cache=True)
def printed_text(x, y, w, p, c, nz):
    """Lines of strokes."""
    line, column = np.floor(y / 3), np.floor(x * 1.6 + 0.3 * pick(nz, np.floor(y / 3), 7))
    fx, fy = frac(x * 1.6 + 0.3 * pick(nz, line, 7)) - 0.5, frac(y / 3) - 0.5
    high = 0.2 + 0.08 * (pick(nz, column, line) > 0.6)
    space = pick(nz, column + 90, line) > 1.2
    stem = ramp(0.14 - abs(fx + 0.2 * pick(nz, column, line + 50)), max(w, 0.08)) * ramp(high - abs(fy), max(w, 0.05))
    bar = ramp(0.05 - abs(fy - 0.15 * pick(nz, column, line + 9)), max(w, 0.05)) * ramp(0.4 - abs(fx), max(w, 0.08))
    ink = 0.0 if space else max(stem, bar)
    return blend(c, 5, 4, ink, 0.92)


@njit(fastmath=True, cache=True)
def guilloche(x, y, w, p, c, nz):
    a = np.sin(2 * np.pi * (x + 0.8 * np.sin(y * 0.35) + 0.2 * np.sin(y * 1.1)))
    b = np.sin(2 * np.pi * (x * 0.96 - 0.9 * np.sin(y * 0.31 + 1)))
    return blend(c, 5, 0, ramp(0.3 - abs(a), max(3 * w, 0.2)) * 0.8 + 0.2 * ramp(0.3 - abs(b), max(3 * w, 0.2)), 0.9)


@njit(fastmath=True, cache=True)
def carbon(x, y, w, p, c, nz):
    x, y = 4 * x * 0.5, 2 * y
    i, j = np.floor(x), np.floor(y)
    over = (int(i) + int(j)) % 4 < 2
    gloss = 0.5 + 0.5 * np.cos(2 * np.pi * ((x - i) if over else (y - j)) + 1.3)
    return tone(c, 4, 0.4 + (1.5 if over else 0.6) * gloss + 0.1 * noise(nz, x * 6 if over else x, y if over else y * 6))


@njit(fastmath=True, cache=True)
def brushed(x, y, w, p, c, nz):
    return tone(c, 0, 0.6 + 0.14 * noise(nz, x * 2, y * 0.03) + 0.1 * noise(nz, x * 5 + 9, y * 0.05))


@njit(fastmath=True, cache=True)
def fur(x, y, w, p, c, nz):
    bend = noise(nz, x * 0.08, y * 0.08)
    return blend(c, 0, 1, 0.3 + 0.2 * bend, 0.6 + 0.25 * noise(nz, x * 3 + bend * 4, y * 0.4 + bend))


@njit(fastmath=True, cache=True)
def grass(x, y, w, p, c, nz):
    light = 0.0
    for k in range(3):
        lean = noise(nz, x * 0.2 + 40 * k, y * 0.1)
        light = max(light, 0.5 + 0.3 * noise(nz, x * 2.5 + lean * 2 + 77 * k, y * 0.5 + 13 * k))
    return 0.35 * light, 0.7 * light, 0.2 * light


@njit(fastmath=True, cache=True)
def cells(x, y, nz, jitter):
    """Distances to the two nearest points of a jittered grid."""
    i, j = np.floor(x), np.floor(y)
    first, second, who = 9.0, 9.0, 0.0
    for dj in range(-1, 2):
        for di in range(-1, 2):
            px = i + di + 0.5 + jitter * 0.35 * pick(nz, i + di, j + dj)
            py = j + dj + 0.5 + jitter * 0.35 * pick(nz, i + di + 200, j + dj)
            far = np.sqrt((x - px) ** 2 + (y - py) ** 2)
            if far < first:
                first, second, who = far, first, pick(nz, i + di + 300, j + dj)
            elif far < second:
                second = far
    return first, second, who


@njit(fastmath=True, cache=True)
def gravel(x, y, w, p, c, nz):
    first, second, who = cells(x, y, nz, 1.0)
    return blend(c, 0, 1, min(max(0.5 + 0.4 * who, 0.0), 1.0), (0.5 + 0.2 * who) * ramp(second - first - 0.08, 0.15))


@njit(fastmath=True, cache=True)
def leather(x, y, w, p, c, nz):
    first, second, who = cells(x, y, nz, 0.8)
    return tone(c, 0, 0.35 + 0.5 * ramp(second - first - 0.1, 0.25) + 0.05 * who)


@njit(fastmath=True, cache=True)
def honeycomb(x, y, w, p, c, nz):
    a, b = x, y / 0.866
    row = np.floor(b)
    first, second = 9.0, 9.0
    for dj in range(-1, 3):
        shift = 0.5 * (int(row + dj) % 2)
        for di in range(-1, 3):
            px, py = np.floor(a) + di + shift, (row + dj) * 0.866
            far = np.sqrt((x - px) ** 2 + (y - py) ** 2)
            if far < first:
                first, second = far, first
            elif far < second:
                second = far
    wall = 1 - ramp(second - first - 0.14, max(w, 0.06))
    return blend(c, 4, 0, wall, 0.2 + 0.7 * wall)


@njit(fastmath=True, cache=True)
def wicker(x, y, w, p, c, nz):
    x, y = 2 * x, 4 * y
    i, j = np.floor(x), np.floor(y)
    phase = 1.0 if (int(i) + int(j)) % 2 == 0 else -1.0
    bulge = np.cos(np.pi * (x - i - 0.5)) * phase
    return tone(c, 0, max(0.08, 0.55 + 0.35 * bulge - 1.2 * (y - j - 0.5) ** 2 + 0.1 * pick(nz, i, j)))


@njit(fastmath=True, cache=True)
def tread(x, y, w, p, c, nz):
    side = 1.0 if frac(y / 6) < 0.5 else -1.0
    groove = ramp(0.16 - abs(frac(x + side * 0.8 * frac(y / 3)) - 0.5), max(w, 0.05))
    return tone(c, 4, 0.5 + 0.15 * noise(nz, x * 3, y * 3) - 0.4 * groove)


@njit(fastmath=True, cache=True)
def flakes(x, y, w, p, c, nz):
    glint = pick(nz, np.floor(x * 2), np.floor(y * 2))
    return tone(c, 0, 0.5 + (0.7 if glint > 2.0 else 0.03 * glint))


@njit(fastmath=True, cache=True)
def paper_stack(x, y, w, p, c, nz):
    layer = x + 0.25 * noise(nz, np.floor(x) * 2.3, y * 0.02)
    return blend(c, 5, 4, ramp(0.14 - abs(frac(layer) - 0.5), max(w, 0.08)), 0.85 + 0.05 * pick(nz, np.floor(layer), 1))


@njit(fastmath=True, cache=True)
def ripples(x, y, w, p, c, nz):
    h = np.sin(2 * np.pi * (x + 0.3 * noise(nz, x * 0.2, y * 0.2))) + 0.7 * np.sin(2 * np.pi * (0.6 * x + 0.8 * y + 0.4 * noise(nz, x * 0.2, y * 0.3)))
    return blend(c, 2, 5, min(max(0.5 + 0.25 * h, 0.0), 1.0), 0.6 + 0.15 * h)


@njit(fastmath=True, cache=True)
def sand(x, y, w, p, c, nz):
    return tone(c, 0, 0.6 + 0.1 * pick(nz, np.floor(x * 2), np.floor(y * 2)) + 0.08 * noise(nz, x * 0.3, y * 0.06))


@njit(fastmath=True, cache=True)
def crowd(x, y, w, p, c, nz):
    """Small round objects of many colors, such as beads or pills in a tray."""
    first, second, who = cells(x, y, nz, 0.35)
    return tone(c, int(abs(who) * 991) % 6, 0.1 + 0.8 * ramp(0.42 - first, max(w, 0.06)))


@njit(fastmath=True, cache=True)
def light_chain(x, y, w, p, c, nz):
    """Colored lamps in the dark at irregular distances."""
    first, second, who = cells(x * 0.5, y * 0.5, nz, 0.9)
    glow = np.exp(-60 * first * first)
    return tone(c, int(abs(who) * 991) % 5, 0.02 + 2.5 * glow)


@njit(fastmath=True, cache=True)
def colored_stripes(x, y, w, p, c, nz):
    """Printed stripes of three colors, as fine as threads, as on packaging and deck chairs."""
    k = int(abs(np.floor(3 * x))) % 3
    edge = ramp(0.42 - abs(frac(3 * x) - 0.5), max(3 * w, 0.06))
    return blend(c, 5, k, edge, 0.8 + 0.05 * noise(nz, x, y))


# For each texture: the function, and the range of periods in frame pixels.
KINDS = {
    "plain weave": (plain_weave, 2.5, 12), "twill": (twill, 2.5, 12), "denim": (denim, 2.5, 10), "herringbone": (herringbone, 3, 12),
    "satin": (satin, 5, 14), "basket weave": (basket, 4, 14), "tartan": (tartan, 2.5, 8), "dyed yarns": (dyed_yarns, 3, 12),
    "knit": (knit, 3, 14), "corduroy": (corduroy, 2.5, 14), "terry": (terry, 3, 10), "insect screen": (square_mesh, 2.2, 10),
    "tulle": (tulle, 3, 12), "perforated metal": (perforated, 2.5, 12), "speaker grille": (speaker, 2.5, 12),
    "chain-link fence": (chain_link, 3, 16), "expanded metal": (expanded_metal, 3, 14), "radiator grille": (grille, 2.5, 12),
    "corrugated iron": (corrugated, 2.5, 14), "brick": (brick, 4, 20), "tiles": (tiles, 4, 20), "mosaic": (mosaic, 3, 14),
    "parquet": (parquet, 3, 14), "roof tiles": (roof_tiles, 3, 14), "facade": (facade, 3, 20), "blinds": (blinds, 2.5, 12),
    "fence": (fence, 3, 14), "keyboard": (keyboard, 8, 24), "halftone": (halftone, 2.2, 10), "CMYK rosette": (rosette, 2.2, 12),
    "inkjet": (inkjet, 2, 6), "printed text": (printed_text, 3, 12), "guilloche": (guilloche, 2.5, 10), "carbon fibre": (carbon, 3, 14),
    "brushed metal": (brushed, 2, 8), "fur": (fur, 2, 8), "grass": (grass, 2, 10), "gravel": (gravel, 3, 16), "leather": (leather, 3, 14),
    "honeycomb": (honeycomb, 2.5, 14), "wicker": (wicker, 4, 16), "tread": (tread, 4, 20), "metallic flakes": (flakes, 2, 8),
    "stacked paper": (paper_stack, 2, 8), "ripples": (ripples, 3, 20), "sand": (sand, 2, 6), "beads": (crowd, 3, 14),
    "light chain": (light_chain, 3, 12), "colored stripes": (colored_stripes, 3, 14),
}


def kernel(function):
    """Compiles a renderer of one texture."""
    @njit(fastmath=True)
    def draw(out, view, period_y, footprint, p, c, nz, lamps):
        rows, columns = out.shape[:2]
        for j in range(rows):
            v = j / rows
            for i in range(columns):
                u = i / columns
                # Two lamps of different colors, and the edge of a shadow.
                first = lamps[0] + lamps[1] * u + lamps[2] * v
                second = lamps[3] * np.exp(-lamps[4] * ((u - lamps[5]) ** 2 + (v - lamps[6]) ** 2))
                shadow = 1 - lamps[7] * ramp(lamps[8] + lamps[9] * u - v, 0.04)
                for e in range(3):
                    x, y = place(view, i, j, e)
                    if e == 0 or view[6] != view[7] or view[8] != view[7]:
                        color = function(x, y * period_y, footprint, p, c, nz)
                    light = (first * lamps[10 + e] + second * lamps[13 + e]) * shadow
                    out[j, i, e] = max(color[e], 0.0) * light
    return draw
