"""Tests the simulated log: its calls against recorded ones, its rates against calculations, its settings against the
code."""

import contextlib
import io
import json
import re
import tempfile
import unittest
from pathlib import Path

import capacity
import log_model as model
import simulate_log

ROOT = Path(__file__).resolve().parents[2]
CALLS = json.loads(capacity.CALLS.read_text(encoding="utf-8"))


def simulated(load, **settings):
    """A load with the template's settings and some changes."""
    found = model.Model(CALLS, load, model.Settings(**settings))
    found.run()
    return found


def tiles(size):
    """All tiles of a tree: level, index and width, by RFC 6962 and tlog-tiles."""
    found, level = set(), 0
    while size >> 8 * level:
        hashes = size >> 8 * level
        found |= {(level, index, min(256, hashes - 256 * index)) for index in range(-(-hashes // 256))}
        level += 1
    return found


def source(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Calls(unittest.TestCase):
    def test_a_leaf_alone_asks_what_is_recorded(self):
        found = model.Model(CALLS, model.steady(1.0, 1.0))
        found.size = 1
        found.invocation(1)
        recorded = {}
        for row in CALLS["functions"]["sequencer"]:
            recorded[row["operation"]] = recorded.get(row["operation"], 0) + row["times"]
        asked = {name: found.outcome.requests[name] for name in model.CALLS}
        self.assertEqual(asked, recorded)
        rows = [row for row in CALLS["functions"]["sequencer"] if row["service"] == "dynamodb"]
        for units in ("reads", "writes"):
            self.assertEqual(found.outcome.requests[units], sum(row[units] * row["times"] for row in rows), units)

    def test_a_capture_asks_nothing_of_the_log(self):
        of_log = {function for function, rows in CALLS["functions"].items() for row in rows
                  if row.get("table") == "log" or row.get("bucket") == "log" or row.get("key") == "checkpoint"}
        self.assertEqual(of_log, {"export", "sequencer", "session-results"})

    def test_files_are_the_tiles_that_are_new(self):
        for old, size in ((0, 1), (1, 2), (200, 256), (255, 257), (256, 512), (300, 1300), (65_530, 65_540), (131_072, 131_073), (7, 70_000)):
            new = tiles(size) - tiles(old)
            self.assertEqual(model.files(old, size), len(new) + sum(level == 0 for level, *_ in new), (old, size))
            partial = [tile for tile in tiles(size) if tile[2] < 256]
            self.assertEqual(model.edge(size), len(partial) + sum(level == 0 for level, *_ in partial), size)

    def test_a_path_has_its_hashes(self):
        # A tree of seven leaves (RFC 6962, 2.1.3).
        self.assertEqual([model.path(index, 7) for index in (0, 3, 4, 6)], [3, 3, 3, 2])
        self.assertEqual((model.path(0, 1), model.path(0, 100_000_000)), (0, 27))

    def test_settings_are_those_of_template_and_code(self):
        state, files, items = (source(f"shared/storage/src/{name}.rs") for name in ("log/state", "log/files", "item"))
        template = source("template.yaml")
        for text, name, value in ((state, "READS", model.READS), (items, "BATCH_WRITES", model.WRITES),
                                  (state, "CONCURRENT", model.CONCURRENT_BATCHES), (files, "CONCURRENT", model.CONCURRENT_OBJECTS)):
            self.assertIn(f"const {name}: usize = {value};", text)
        self.assertIn(f"const CONCURRENT: usize = {model.EXPORT_AT_ONCE};", source("functions/export/src/lib.rs"))
        export, sequencer = (template[template.index(f"\n  {name}:"):] for name in ("ExportFunction", "SequencerFunction"))
        mapping = export[export.index("Records:"):export.index("Entries:")]
        self.assertIn(f"ParallelizationFactor: {model.EXPORT_LANES}\n", mapping)
        self.assertIn(f"BatchSize: {capacity.BATCH}\n", mapping)
        mapping = sequencer[:sequencer.index("EveryHour:")]
        self.assertIn(f"BatchSize: {capacity.LOG_BATCH}\n", mapping)
        self.assertIn(f"MaximumBatchingWindowInSeconds: {capacity.LOG_WINDOW}\n", mapping)
        self.assertIn("ReservedConcurrentExecutions: !If [ReservesConcurrency, 1,", mapping)
        self.assertNotIn("ParallelizationFactor", mapping)


class Course(unittest.TestCase):
    def test_each_capture_has_one_leaf(self):
        found = simulated(model.steady(50.0, 120.0))
        outcome = found.outcome
        committed = [round(committed, 9) for committed, _ in outcome.included]
        self.assertEqual(len(set(committed)), len(committed))
        self.assertGreaterEqual(found.size - model.TREE, outcome.leaves())
        self.assertEqual(outcome.requests["invocations"], outcome.requests["Sign"] - found.is_running)
        # Captures committed in the last seconds are not included yet.
        self.assertLess(found.committed - outcome.leaves(), 50 * (capacity.LOG_WINDOW + 10))

    def test_a_load_is_its_seed_s(self):
        first, again, other = (simulated(model.Load(((0.0, 30.0),), 60.0, seed=seed)).outcome.included for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_batches_are_those_of_capacity(self):
        for rate in (25.0, 100.0):
            outcome = simulated(model.steady(rate, 600.0)).outcome
            batches = capacity.batches(4, rate, capacity.LOG_BATCH, capacity.LOG_WINDOW) * 600
            # A batching window ends at the next poll, and the next one begins after the batch, so there are fewer
            # batches than calculated.
            self.assertTrue(0.8 * batches < outcome.requests["invocations"] <= batches, (rate, outcome.requests["invocations"], batches))

    def test_one_batch_of_a_shard_at_a_time_exports_as_fast_as_its_calls(self):
        found = simulated(model.steady(100.0, 300.0), lanes=1, export_at_once=1)
        record = model.CALLS["PutObject"] + model.CALLS["PutItem"] + 2 * model.CALL_SECONDS
        self.assertAlmostEqual(found.outcome.rate(150.0, 300.0), 4 / record, delta=6)
        fast = simulated(model.steady(100.0, 300.0)).outcome
        self.assertAlmostEqual(fast.rate(150.0, 300.0), 100, delta=5)

    def test_a_window_is_what_a_leaf_waits(self):
        outcome = simulated(model.steady(25.0, 300.0), window=5.0).outcome
        longer = simulated(model.steady(25.0, 300.0), window=10.0).outcome
        self.assertTrue(2.5 < outcome.quantile(0.5) < 4.5, outcome.quantile(0.5))
        self.assertAlmostEqual(longer.quantile(0.5), outcome.quantile(0.5) + 2.5, delta=0.6)

    def test_nothing_is_included_in_an_outage_and_all_of_it_afterwards(self):
        load = model.Load(((0.0, 40.0),), 400.0, (60.0, 180.0))
        outcome = simulated(load, window=5.0).outcome
        # A batch may have begun before.
        self.assertFalse([1 for committed, seconds in outcome.included if 65 < committed + seconds < 180])
        self.assertAlmostEqual(outcome.waiting(180.0), 40 * 120, delta=600)
        self.assertEqual(simulate_log.kept_up(simulate_log.Scenario("", load), outcome)[:4], "gone")
        self.assertAlmostEqual(outcome.quantile(1.0), 120, delta=25)

    def test_the_table_s_throughput_makes_writes_wait(self):
        found = model.Model(CALLS, model.steady(1.0, 1.0))
        rate = len(found.leaves) * capacity.PARTITION_WRITES
        self.assertEqual(found.written(found.table.level), 0.0)
        self.assertAlmostEqual(found.written(rate), 1.0, delta=0.11)

    def test_a_full_batch_is_within_the_budget_of_an_invocation(self):
        request = float(re.search(r"request: Duration::from_secs\((\d+)\)", source("shared/storage/src/budgets.rs"))[1])
        found = model.Model(CALLS, model.steady(1.0, 1.0), model.Settings(slower=2.0))
        self.assertLess(max(found.invocation(capacity.LOG_BATCH) for _ in range(20)), request / 2)

    def test_a_thousand_a_second_are_sequenced(self):
        outcome = simulated(model.steady(1000.0, 300.0)).outcome
        self.assertAlmostEqual(outcome.rate(100.0, 300.0), 1000, delta=50)
        self.assertLess(outcome.quantile(0.99), 40)
        # With small batches the log does not keep up: shards compete, and each batch makes the same number of calls.
        small = simulated(model.steady(1000.0, 150.0), batch=500).outcome
        self.assertLess(small.rate(75.0, 150.0), 950)


class Page(unittest.TestCase):
    def test_a_page_of_another_model_or_other_rows_is_found(self):
        head = [f"<!-- of {simulate_log.digest()} -->", *simulate_log.assumption_table()]
        rows = [f"| {' | '.join(row)} |" for scenario in simulate_log.QUICK for row in simulate_log.rendered(scenario) if row]
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            for lines, wanted in (([*head, *rows], 0), (head[1:] + rows, 1), (head + rows[:-1], 1), (head[:-1] + rows, 1)):
                page.write_text("\n".join(["before", simulate_log.MARK, *lines, simulate_log.MARK]), encoding="utf-8")
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(simulate_log.check(page), wanted)

    def test_a_backlog_is_steady_or_gone_or_left(self):
        def backlog(*waiting):
            outcome = model.Outcome()
            outcome.backlog = [(10.0 * step, each) for step, each in enumerate(waiting)]
            return outcome

        steady = simulate_log.Scenario("", model.steady(10.0, 30.0))
        failing = simulate_log.Scenario("", model.Load(((0.0, 10.0),), 30.0, (0.0, 10.0)))
        self.assertEqual(simulate_log.kept_up(steady, backlog(0, 50, 60)), "steady")
        self.assertEqual(simulate_log.kept_up(steady, backlog(0, 500, 600)), "60 s at the end")
        self.assertEqual(simulate_log.kept_up(failing, backlog(0, 500, 200, 90)), "gone after 0.3 min")

    def test_settings_are_read(self):
        self.assertEqual(simulate_log.settings_of("lanes=1,slower=2"), model.Settings(lanes=1, slower=2.0))


if __name__ == "__main__":
    unittest.main()
