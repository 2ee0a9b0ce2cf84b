"""The camera, from the light on its sensor to the frame: optics, sensor, and the stages of a phone's image pipeline."""

import cv2
import numpy as np

LUMA = np.array([0.299, 0.587, 0.114], np.float32)
SUPERSAMPLING = 2

# Malvar, He and Cutler (2004): interpolation of a missing color from its neighbors, corrected by the Laplacian of the
# known color.
GREEN_AT = np.array([[0, 0, -1, 0, 0], [0, 0, 2, 0, 0], [-1, 2, 4, 2, -1], [0, 0, 2, 0, 0], [0, 0, -1, 0, 0]], np.float32) / 8
IN_ROW = np.array([[0, 0, .5, 0, 0], [0, -1, 0, -1, 0], [-1, 4, 5, 4, -1], [0, -1, 0, -1, 0], [0, 0, .5, 0, 0]], np.float32) / 8
DIAGONAL = np.array([[0, 0, -1.5, 0, 0], [0, 2, 0, 2, 0], [-1.5, 0, 6, 0, -1.5], [0, 2, 0, 2, 0], [0, 0, -1.5, 0, 0]], np.float32) / 8


def draw(rng, size):
    """Draws a camera's parameters by name."""
    width = size[0]
    sensor = rng.choice([1.0, rng.uniform(1.1, 1.4), rng.uniform(1.4, 2.2)], p=[0.3, 0.38, 0.32])
    if max(size) > 2000:
        sensor = min(sensor, 1.0 if max(size) > 3000 else 1.5)
    drawn = rng.choice(["sharp", "soft", "blurred"], p=[0.72, 0.17, 0.11])
    low, high = {"sharp": (0.36, 0.78), "soft": (0.85, 1.3), "blurred": (1.5, 3.0)}[drawn]
    blur = rng.uniform(low, high)
    axial, motion = rng.uniform(1.0, 1.25, 2), float(rng.choice([0.0, rng.gamma(2.0, 0.5)], p=[0.55, 0.45]))
    # The blur includes motion: the variance of a line of that length is added to that of the lens.
    total = np.hypot(blur, motion / np.sqrt(12))
    return {
        "width": width, "height": size[1], "sensor": float(sensor), "blur": blur, "axial": axial, "motion": motion,
        "focus": "sharp" if total <= 0.8 else "soft" if total <= 1.4 else "blurred",
        "motion_direction": rng.uniform(0, np.pi), "veil": rng.uniform(0.0, 0.04), "vignette": rng.uniform(0.0, 0.4),
        "full_well": float(np.exp(rng.uniform(np.log(700), np.log(9000)))), "read_noise": rng.uniform(1.5, 5.0),
        "crosstalk": rng.uniform(0.04, 0.18), "mosaic": int(rng.integers(4)),
        "demosaic": str(rng.choice(["bilinear", "malvar", "edge-aware", "hamilton-adams", "binned"], p=[0.12, 0.28, 0.25, 0.27, 0.08])),
        "denoise": float(rng.choice([0.0, rng.uniform(0.4, 1.2)], p=[0.3, 0.7])),
        "chroma_denoise": rng.uniform(0.0, 2.2), "median": bool(rng.random() < 0.35),
        "sharpen": float(rng.choice([0.0, rng.uniform(0.2, 1.4)], p=[0.15, 0.85])), "sharpen_radius": rng.uniform(0.6, 1.6),
        "sharpen_last": bool(rng.random() < 0.35), "scaling": str(rng.choice(["area", "bilinear", "cubic", "lanczos"])),
        "tone": rng.uniform(0.0, 0.8), "local_tone": float(rng.choice([0.0, rng.uniform(0.1, 0.4)], p=[0.5, 0.5])),
        "saturation": rng.uniform(0.9, 1.35), "exposure": rng.uniform(0.45, 1.05), "frames": int(rng.choice([1, 2], p=[0.85, 0.15])),
        "warmth": rng.uniform(-0.06, 0.06),
    }


def fine_size(camera):
    """Number of light samples, horizontally and vertically."""
    return [max(2, round(camera[side] * camera["sensor"])) * SUPERSAMPLING for side in ("width", "height")]


def seen(light, camera, rng):
    """Converts fine samples of light to the frame, as 8-bit sRGB codes. Overwrites `light`."""
    blurred(light, camera)
    height, width = light.shape[0] // SUPERSAMPLING, light.shape[1] // SUPERSAMPLING
    irradiance = cv2.resize(light, (width, height), interpolation=cv2.INTER_AREA)
    shade(irradiance, camera)
    crosstalk = spectral(camera["crosstalk"])
    irradiance = irradiance @ crosstalk.T.astype(np.float32)
    # Auto exposure: sets a high percentile near the full well.
    level = float(np.percentile(irradiance[::7, ::7, 1], 97)) + 1e-3
    irradiance *= camera["exposure"] / level
    pictures = []
    for number in range(camera["frames"]):
        moved = irradiance
        if number:
            shift = rng.uniform(-0.6, 0.6, 2)
            matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
            moved = cv2.warpAffine(irradiance, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
        pictures.append(demosaiced(exposed(moved, camera, rng), camera))
    picture = np.mean(pictures, axis=0, dtype=np.float32) if len(pictures) > 1 else pictures[0]
    picture = picture @ np.linalg.inv(crosstalk).T.astype(np.float32)
    return developed(picture, camera)


def blurred(light, camera):
    """The lens: a core and a wider skirt of aberrations, with different widths for red and blue; motion; veiling glare."""
    per_frame_pixel = camera["sensor"] * SUPERSAMPLING
    widths = [camera["blur"] * camera["axial"][0], camera["blur"], camera["blur"] * camera["axial"][1]]
    for color, sigma in enumerate(widths):
        plane = np.ascontiguousarray(light[..., color])
        sigma = max(sigma * per_frame_pixel, 0.3)
        core = cv2.GaussianBlur(plane, (0, 0), sigma)
        light[..., color] = 0.9 * core + 0.1 * cv2.GaussianBlur(core, (0, 0), 2.0 * sigma)
    length = camera["motion"] * per_frame_pixel
    if length > 0.8:
        reach = int(np.ceil(length / 2)) + 1
        y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1].astype(np.float32)
        c, s = np.cos(camera["motion_direction"]), np.sin(camera["motion_direction"])
        along, off = np.abs(c * x + s * y), np.abs(c * y - s * x)
        kernel = np.clip(length / 2 + 0.5 - along, 0, 1) * np.clip(1 - off, 0, 1)
        light[:] = cv2.filter2D(light, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REFLECT)
    light += camera["veil"] * light[::9, ::9].mean(axis=(0, 1))


def shade(irradiance, camera):
    """Vignetting: a fraction of the cos⁴ law."""
    height, width = irradiance.shape[:2]
    y, x = np.ogrid[-1:1:height * 1j, -1:1:width * 1j]
    irradiance *= (1 - camera["vignette"] * (x * x + y * y) / 2).astype(np.float32)[..., None]


def spectral(crosstalk):
    """The response of each filter to each primary; rows sum to 1."""
    c = crosstalk
    return np.array([[1 - 1.2 * c, c, 0.2 * c], [0.6 * c, 1 - 1.2 * c, 0.6 * c], [0.15 * c, 1.05 * c, 1 - 1.2 * c]])


def exposed(irradiance, camera, rng):
    """The mosaic with shot noise and read noise, clipped at the full well, which is 1."""
    width_of = {0: (0, 0), 1: (0, 1), 2: (1, 0), 3: (1, 1)}[camera["mosaic"]]
    if camera["demosaic"] == "binned":
        # Quad Bayer: four photosites under one filter collect light from twice the width.
        irradiance = cv2.blur(irradiance, (2, 2), borderType=cv2.BORDER_REFLECT)
    height, width = irradiance.shape[:2]
    mosaic = np.empty((height, width), np.float32)
    for dy in (0, 1):
        for dx in (0, 1):
            y, x = (dy + width_of[0]) % 2, (dx + width_of[1]) % 2
            color = 0 if (y, x) == (0, 0) else 2 if (y, x) == (1, 1) else 1
            mosaic[dy::2, dx::2] = irradiance[dy::2, dx::2, color]
    well, read = camera["full_well"], camera["read_noise"]
    deviation = np.sqrt(np.maximum(mosaic, 0) * well + read * read) / well
    mosaic += deviation * rng.standard_normal(mosaic.shape, np.float32)
    return np.clip(mosaic, -0.02, 1.0)


def demosaiced(mosaic, camera):
    """Interpolates all colors at each photosite."""
    offset = camera["mosaic"]
    # The mosaic must start with red; otherwise a neighboring column or row is added.
    top, left = offset // 2, offset % 2
    padded = np.pad(mosaic, ((2 + top, 4 - top), (2 + left, 4 - left)), mode="reflect")
    picture = {"bilinear": library("bilinear"), "edge-aware": library("edge-aware"), "binned": malvar, "malvar": malvar,
               "hamilton-adams": hamilton_adams}[camera["demosaic"]](padded)
    return picture[2 + top:2 + top + mosaic.shape[0], 2 + left:2 + left + mosaic.shape[1]]


def library(name):
    """OpenCV's demosaicing of 16-bit values."""
    # OpenCV names patterns by the second row: this is RGGB.
    code = {"bilinear": cv2.COLOR_BayerBG2RGB, "edge-aware": cv2.COLOR_BayerBG2RGB_EA}[name]

    def apply(mosaic):
        codes = np.clip((mosaic + 0.02) * 60000, 0, 65535).astype(np.uint16)
        return cv2.cvtColor(codes, code).astype(np.float32) / 60000 - 0.02
    return apply


def masks(shape):
    red, blue = np.zeros(shape, bool), np.zeros(shape, bool)
    red[::2, ::2], blue[1::2, 1::2] = True, True
    return red, blue


def malvar(mosaic):
    red, blue = masks(mosaic.shape)
    at = {name: cv2.filter2D(mosaic, -1, kernel, borderType=cv2.BORDER_REFLECT_101)
          for name, kernel in (("green", GREEN_AT), ("row", IN_ROW), ("column", IN_ROW.T), ("diagonal", DIAGONAL))}
    green = np.where(red | blue, at["green"], mosaic)
    red_row = np.zeros(mosaic.shape, bool)
    red_row[::2] = True
    sides = np.where(red_row, at["row"], at["column"])
    other = np.where(red_row, at["column"], at["row"])
    r = np.where(red, mosaic, np.where(blue, at["diagonal"], sides))
    b = np.where(blue, mosaic, np.where(red, at["diagonal"], other))
    return np.dstack([r, green, b])


def hamilton_adams(mosaic):
    """Hamilton and Adams (1997): green in the direction of the smaller gradient, then color differences."""
    red, blue = masks(mosaic.shape)
    up, down, left, right = (np.roll(mosaic, *how) for how in ((1, 0), (-1, 0), (1, 1), (-1, 1)))
    second = {axis: 2 * mosaic - np.roll(mosaic, 2, axis) - np.roll(mosaic, -2, axis) for axis in (0, 1)}
    across, along = np.abs(left - right) + np.abs(second[1]), np.abs(up - down) + np.abs(second[0])
    by_row, by_column = (left + right) / 2 + second[1] / 4, (up + down) / 2 + second[0] / 4
    guess = np.where(across < along, by_row, np.where(along < across, by_column, (by_row + by_column) / 2))
    green = np.where(red | blue, guess, mosaic)
    kernel = np.array([[0.25, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 0.25]], np.float32)
    planes = []
    for mask in (red, blue):
        difference = cv2.filter2D(np.where(mask, mosaic - green, 0).astype(np.float32), -1, kernel, borderType=cv2.BORDER_REFLECT_101)
        planes.append(green + difference)
    return np.dstack([planes[0], green, planes[1]]).astype(np.float32)


def developed(picture, camera):
    """White balance, denoising, tone, sharpening and scaling, in a phone's order; returns 8-bit codes."""
    picture *= np.array([1 + camera["warmth"], 1, 1 - camera["warmth"]], np.float32)
    picture = np.clip(picture, 0, None)
    codes = np.power(np.clip(picture, 0, 1.2), 1 / 2.2).astype(np.float32)
    luma = codes @ LUMA
    color = codes - luma[..., None]
    if camera["median"]:
        for channel in (0, 2):
            fine = np.clip(color[..., channel] * 200 + 128, 0, 255).astype(np.uint8)
            color[..., channel] = (cv2.medianBlur(fine, 5).astype(np.float32) - 128) / 200
        color[..., 1] = -(color[..., 0] * LUMA[0] + color[..., 2] * LUMA[2]) / LUMA[1]
    if camera["chroma_denoise"] > 0.3:
        color = cv2.GaussianBlur(color, (0, 0), camera["chroma_denoise"])
    if camera["denoise"]:
        # Removes details as weak as noise: a soft threshold on what a small blur removes.
        smooth = cv2.GaussianBlur(luma, (0, 0), 0.9)
        detail = luma - smooth
        noise = camera["denoise"] * float(np.median(np.abs(detail[::3, ::3]))) * 1.5
        luma = smooth + np.sign(detail) * np.maximum(np.abs(detail) - noise, 0)
    if camera["local_tone"]:
        base = cv2.GaussianBlur(luma, (0, 0), luma.shape[0] / 18)
        luma = luma * np.power((base + 0.08) / (float(base.mean()) + 0.08), -camera["local_tone"])
    t = np.clip(luma, 0, 1)
    luma = luma + camera["tone"] * (t * t * (3 - 2 * t) - t)
    if not camera["sharpen_last"]:
        luma = sharpened(luma, camera)
    codes = luma[..., None] + color * camera["saturation"]
    size = (camera["width"], camera["height"])
    if (codes.shape[1], codes.shape[0]) != size:
        way = {"area": cv2.INTER_AREA, "bilinear": cv2.INTER_LINEAR, "cubic": cv2.INTER_CUBIC, "lanczos": cv2.INTER_LANCZOS4}
        codes = cv2.resize(np.clip(codes, 0, 1).astype(np.float32), size, interpolation=way[camera["scaling"]])
    if camera["sharpen_last"]:
        luma = codes @ LUMA
        codes = codes + (sharpened(luma, camera) - luma)[..., None]
    return np.clip(codes * 255 + 0.5, 0, 255).astype(np.uint8)


def sharpened(luma, camera):
    """An unsharp mask with limits, as pipelines use against halos."""
    detail = luma - cv2.GaussianBlur(luma, (0, 0), camera["sharpen_radius"])
    return luma + np.clip(camera["sharpen"] * detail, -0.12, 0.12)
