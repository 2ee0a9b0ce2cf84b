"""Tests how a folder of labelled photos is read, and the resulting tables."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

import evaluate_recapture

# A fake analysis: the risk is the first word of the file's name; files whose name starts with "broken" cannot be
# decoded.
ANALYSIS = """#!{python}
import json, os, sys
for file in sys.argv[1:]:
    name = os.path.basename(file)
    if name.startswith("broken"):
        print(json.dumps({{"file": file, "error": "the image cannot be decoded"}}))
    else:
        print(json.dumps({{"file": file, "risk": name.split("-")[0].upper(), "scores": {{}}, "cpu_ms": 1.5}}))
"""


class Evaluation(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.binary = self.folder / "analysis"
        self.binary.write_text(ANALYSIS.format(python=sys.executable), encoding="utf-8")
        self.binary.chmod(0o755)

    def put(self, *files):
        for file in files:
            path = self.folder / file
            path.parent.mkdir(exist_ok=True)
            path.touch()

    def report(self, *columns):
        rows = evaluate_recapture.looked_at([self.binary], self.folder, evaluate_recapture.labelled(self.folder))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            evaluate_recapture.report(rows, columns)
        return printed.getvalue()

    def test_photos_are_labelled_by_their_folders(self):
        self.put("display/high-1.jpg", "display/unknown-2.JPEG", "photograph/none-3.jpg", "texture/high-4.jpg", "texture/notes.txt")
        printed = self.report()
        self.assertIn("| displays, all | 50.0 % of 2 | 50.0 % of 2 |", printed)
        self.assertIn("| photographs | 0.0 % of 1 | 0.0 % of 1 |", printed)
        self.assertIn("| textures and photographs | 50.0 % of 2 | 0.0 % of 2 |", printed)

    def test_a_photo_that_cannot_be_decoded_is_named_and_does_not_count(self):
        self.put("photograph/broken.jpg", "photograph/none-1.jpg")
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertIn("| photographs | 0.0 % of 1 |", self.report())
        self.assertIn("broken.jpg: the image cannot be decoded", errors.getvalue())

    def test_a_table_gives_ratios_focus_and_more(self):
        lines = ["file\tlabel\tkind\tpixels\tfocus\tsampling", "high-1.jpg\tdisplay\tLCD\t1.7\tsharp\t4:2:0",
                 "unknown-2.jpg\tdisplay\tLCD\t2.2\tsharp\t4:2:0", "unknown-3.jpg\tdisplay\tOLED\t3\tblurred\t4:4:4",
                 "high-4.jpg\tdisplay\tOLED\t3\tsharp\t4:4:4", "none-5.jpg\ttexture\tbrick\t\t\t"]
        (self.folder / "labels.tsv").write_text("\n".join(lines), encoding="utf-8")
        printed = self.report("sampling")
        self.assertIn("| displays in focus, 1.5 to 4 pixels | 66.7 % of 3 | 33.3 % of 3 |", printed)
        self.assertIn("| displays in focus, 2 to 4 pixels | 50.0 % of 2 | 50.0 % of 2 |", printed)
        self.assertIn("| LCD |  | 100.0 % of 1 | 0.0 % of 1 |  |  |  |", printed)
        self.assertIn("| 4:4:4 | 100.0 % of 1 | 0.0 % of 1 |", printed)
        self.assertNotIn("brick", printed)

    def test_numbers_of_many_values_are_grouped(self):
        rows = [{"quality": str(quality)} for quality in range(60, 100)]
        groups = evaluate_recapture.grouped(rows, "quality")
        self.assertEqual([len(group) for _, group in groups], [10, 10, 9, 11])
        self.assertEqual([name for name, _ in groups], ["60 to 70", "70 to 80", "80 to 89", "89 to 99"])

    def test_an_empty_folder_and_an_unknown_label_end_with_a_message(self):
        with self.assertRaisesRegex(SystemExit, "no labelled photos"):
            evaluate_recapture.labelled(self.folder)
        (self.folder / "labels.tsv").write_text("file\tlabel\na.jpg\tscreen\n", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "unknown labels: screen"):
            evaluate_recapture.labelled(self.folder)


if __name__ == "__main__":
    unittest.main()
