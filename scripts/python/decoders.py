"""Creates JPEGs as devices and programs do, and compares the picture that Lacre decodes from each with those of
libjpeg-turbo (Pillow), Java's ImageIO, Chromium and a Rust decoder. Called by scripts/test-decoders.

usage: decoders.py FOLDER PLANES CHROMIUM [PHOTOGRAPH...]
  PLANES is the program of shared/photo/examples/planes.rs."""

import collections
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

import numpy
import PIL
from PIL import Image, ImageFile

# Large enough to write noise in the best quality at once.
ImageFile.MAXBLOCK = 1 << 22

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "tests/decoders/page.html"
SIZE = (331, 249)
# Permitted difference between decoders, in levels of 255. Decoders round at different steps. They also upsample
# subsampled color differently, so for such files only luma and mean squares are compared.
LUMA = 2
COLOR = 4
MEANS = 12
SQUARE = 16


def contents(photographs):
    """Pictures by name."""
    width, height = SIZE
    y, x = numpy.mgrid[:height, :width]
    random = numpy.random.default_rng(51)
    ramps = [x * 255 // width, y * 255 // height, (x + y) * 255 // (width + height)]
    board = numpy.where((x + y) % 2, 255, 0)
    large = numpy.where((x // 8 + y // 8) % 2, 255, 0)
    made = {
        "ramps": numpy.stack(ramps, axis=-1),
        "board-1": numpy.stack([board, board, board], axis=-1),
        "board-8": numpy.stack([large, 255 - large, board], axis=-1),
        "noise": random.integers(0, 2, (height, width, 3)) * 255,
        "soft-noise": random.integers(0, 256, (height, width, 3)),
    }
    images = {name: Image.fromarray(pixels.astype(numpy.uint8)) for name, pixels in made.items()}
    for photograph in photographs:
        images[photograph.stem] = Image.open(photograph).convert("RGB").resize(SIZE)
    return images


def make(folder, photographs):
    """Writes the photos, except those that Chromium creates."""
    images = contents(photographs)
    forms = [dict(subsampling=sampling, **options) for sampling in ("4:4:4", "4:2:2", "4:2:0")
             for options in ({}, {"optimize": True}, {"progressive": True}, {"restart_marker_blocks": 5},
                             {"progressive": True, "restart_marker_rows": 1})]
    for quality in range(1, 101):
        for at, (name, image) in enumerate(images.items()):
            form = forms[(quality + at) % len(forms)]
            image.save(folder / f"{name}-q{quality}.jpg", quality=quality, **form)
            if quality % 10 == at:
                grey = {key: value for key, value in form.items() if key != "subsampling"}
                image.convert("L").save(folder / f"{name}-grey-q{quality}.jpg", quality=quality, **grey)
    scripts = {"apart": "0;1;2;", "two": "0,1;2;", "many": (
        "0,1,2: 0-0, 0, 2; 0: 1-5, 0, 3; 2: 1-63, 0, 1; 1: 1-63, 0, 1; 0: 6-63, 0, 3; 0: 1-63, 3, 2;"
        "0,1,2: 0-0, 2, 1; 0: 1-63, 2, 1; 0,1,2: 0-0, 1, 0; 2: 1-63, 1, 0; 1: 1-63, 1, 0; 0: 1-63, 1, 0;")}
    with tempfile.TemporaryDirectory() as scratch:
        source, script = pathlib.Path(scratch, "source.ppm"), pathlib.Path(scratch, "scans")
        for name, image in images.items():
            image.save(source)
            for kind, scans in scripts.items():
                script.write_text(scans)
                for sampling in ("1x1", "2x1", "1x2", "2x2"):
                    run = ["cjpeg", "-quality", "85", "-sample", sampling, "-scans", str(script), str(source)]
                    (folder / f"{name}-{kind}-{sampling}.jpg").write_bytes(subprocess.run(
                        run, check=True, capture_output=True).stdout)
            turned = ["jpegtran", "-rotate", "90", "-trim", str(folder / f"{name}-apart-2x1.jpg")]
            (folder / f"{name}-turned.jpg").write_bytes(subprocess.run(turned, check=True, capture_output=True).stdout)
    for photo in [*(ROOT / "shared/photo/tests/photo").glob("*.jpg"), ROOT / "events/frame.jpg"]:
        shutil.copy(photo, folder / f"kept-{photo.name}")


def two_pictures():
    """A grey photo whose DC coefficients are larger by 2^16 than those of a uniform picture. libjpeg decodes it to one
    picture, decoders with 32-bit arithmetic to another."""
    factor, blocks = 64, 30 * 30
    segment = lambda marker, body: bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body
    codes = bytes([0x00] + [0, 0, 0, 12] + [0] * 12) + bytes(range(12)) + bytes([0x10, 1] + [0] * 15 + [0])
    bits, before = "", 0
    for block in range(blocks):
        value = 65536 // factor if block % 30 < 15 else 0
        difference, before = value - before, value
        category = abs(difference).bit_length()
        number = difference if difference >= 0 else difference + (1 << category) - 1
        bits += f"{category:04b}" + (f"{number:0{category}b}" if category else "") + "0"
    bits += "1" * (-len(bits) % 8)
    data = bytes(int(bits[at:at + 8], 2) for at in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    return (b"\xff\xd8" + segment(0xDB, bytes([0] + [factor] * 64)) + segment(0xC0, bytes([8, 0, 240, 0, 240, 1, 1, 0x11, 0]))
            + segment(0xC4, codes) + segment(0xDA, bytes([1, 1, 0, 0, 63, 0])) + data + b"\xff\xd9")


class Server(http.server.ThreadingHTTPServer):
    """Serves the folder and a page to a browser on this machine, and stores what it sends."""

    def __init__(self, folder, names):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.names, self.done = folder, names, threading.Event()
        self.agent = None


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/")
        if name == "names":
            self.answer(json.dumps(self.server.names).encode(), "application/json")
        elif name in self.server.names:
            self.answer((self.server.folder / name).read_bytes(), "image/jpeg")
        else:
            self.answer(PAGE.read_bytes(), "text/html")

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name = pathlib.PurePath(self.path).name
        if name == "done":
            self.server.agent = body.decode()
            self.server.done.set()
        else:
            (self.server.folder / name).write_bytes(body)
        self.answer(b"", "text/plain")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def chromium(browser, folder, names):
    """Lets the browser decode photos, or create some if no names are given. Returns its user agent."""
    server = Server(folder, names)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_port}/"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if not server.done.wait(300):
                sys.exit("Chromium did not finish")
        finally:
            process.terminate()
            process.wait()
            server.shutdown()
    return server.agent


def ours(folder, planes):
    """Lacre's result for each photo: its size, or why it is refused."""
    lines = subprocess.run([planes, str(folder)], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line["file"]: line for line in map(json.loads, lines)}


def decoded(folder, name, width, height):
    """The picture from each other decoder, as an array of height, width, and 1 or 3 samples."""
    image = Image.open(folder / name)
    theirs = numpy.asarray(image if image.mode == "L" else image.convert("RGB")).reshape(height, width, -1)
    read = lambda suffix: numpy.fromfile((folder / name).with_suffix(suffix), numpy.uint8).reshape(height, width, -1)
    return {"pillow": theirs, "java": rgb(list(read(".java").transpose(2, 0, 1))), "rust": read(".rgb"),
            "chromium": read(".chromium")[:, :, :theirs.shape[2]]}


def planes_of(folder, name, sizes):
    samples = numpy.fromfile((folder / name).with_suffix(".planes"), numpy.uint8)
    planes = []
    for width, height in sizes:
        planes.append(samples[:width * height].reshape(height, width))
        samples = samples[width * height:]
    return planes


def rgb(planes):
    """Converts planes to RGB by JFIF's formula, repeating each color sample over the pixels that it covers."""
    luma, *color = (plane.astype(float) for plane in planes)
    if not color:
        return luma[:, :, None]
    height, width = luma.shape
    across, down = -(-width // color[0].shape[1]), -(-height // color[0].shape[0])
    blue, red = (plane.repeat(down, 0).repeat(across, 1)[:height, :width] - 128 for plane in color)
    picture = numpy.stack([luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue], axis=-1)
    return picture.round().clip(0, 255)


def means(picture):
    height, width = (side // SQUARE * SQUARE for side in picture.shape[:2])
    squares = picture[:height, :width].astype(float).reshape(height // SQUARE, SQUARE, width // SQUARE, SQUARE, -1)
    return squares.mean(axis=(1, 3))


def differences(folder, name, planes):
    """The largest difference of each comparison, by its name and decoder."""
    height, width = planes[0].shape
    pictures = decoded(folder, name, width, height)
    found = {}
    # libjpeg's own samples must equal ours exactly.
    image = Image.open(folder / name)
    if image.mode != "L":
        image.draft("YCbCr", image.size)
    theirs = numpy.asarray(image).reshape(height, width, -1).astype(int)
    same = planes if len({plane.shape for plane in planes}) == 1 else planes[:1]
    for at, plane in enumerate(same):
        found["samples", "pillow"] = max(found.get(("samples", "pillow"), 0), int(abs(theirs[:, :, at] - plane).max()))
    picture = rgb(planes)
    for decoder, other in pictures.items():
        other = other.astype(float)
        if other.shape[2] == 3:
            inside = ((other > 0) & (other < 255)).all(axis=2)
            luma = other @ [0.299, 0.587, 0.114]
            if inside.any():
                found["luma", decoder] = abs(luma - planes[0])[inside].max()
        if len({plane.shape for plane in planes}) == 1:
            found["color", decoder] = abs(other - picture).max()
        found["means", decoder] = abs(means(other) - means(picture)).max()
    return found


def main():
    folder, planes, browser, *photographs = sys.argv[1:]
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make(folder, [pathlib.Path(photograph) for photograph in photographs])
    chromium(browser, folder, [])
    (folder / "two-pictures.jpg").write_bytes(two_pictures())
    names = sorted(path.name for path in folder.glob("*.jpg"))

    verdicts = ours(folder, planes)
    java = subprocess.run(["java", str(ROOT / "tests/decoders/Decode.java"), str(folder)], check=True, capture_output=True, text=True)
    agent = chromium(browser, folder, names)
    limits = {"samples": 0, "luma": LUMA, "color": COLOR, "means": MEANS}

    # The comparison must detect a file that shows two pictures, and Lacre must refuse it.
    two = decoded(folder, "two-pictures.jpg", 240, 240)
    apart = abs(means(two["pillow"]) - means(two["rust"])).max()
    faults = [] if apart > MEANS and verdicts.pop("two-pictures.jpg")["error"] else ["two-pictures.jpg: not found out"]

    largest = collections.defaultdict(lambda: (0.0, ""))
    for name, verdict in verdicts.items():
        if verdict["error"]:
            faults.append(f"{name}: refused: {verdict['error']}")
            continue
        for (comparison, decoder), difference in differences(folder, name, planes_of(folder, name, verdict["planes"])).items():
            largest[comparison, decoder] = max(largest[comparison, decoder], (float(difference), name))
            if difference > limits[comparison]:
                faults.append(f"{name}: {comparison} of {decoder} differ by {difference:.1f}")
    print(f"{len(verdicts)} photos; Pillow {PIL.__version__}, jpeg-decoder, Java's ImageIO, {agent}")
    for (comparison, decoder), (difference, name) in sorted(largest.items()):
        print(f"{comparison:8} {decoder:9} at most {difference:5.1f} ({name}), limit {limits[comparison]}")
    print(*java.stderr.splitlines(), *faults, sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
