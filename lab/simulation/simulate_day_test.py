"""Tests the simulated day: each limit against calculations, and the day against capacity.py and itself."""

import contextlib
import dataclasses
import io
import json
import random
import tempfile
import unittest
from pathlib import Path

import capacity
import day_limits as limits
import day_model as model
import simpy
import simulate_day

CALLS = json.loads(capacity.CALLS.read_text(encoding="utf-8"))
HOUR = {"hours": (10, 11)}


def run(day, **changes):
    """A day with the template's defaults and some changes."""
    return model.Model(CALLS, day, model.Parameters(**changes)).run()


def count(counter):
    return sum(counter.values())


def write(table, second, calls, keys=1):
    """Writes keys in turn, evenly within a second; returns refused writes by limit."""
    units, refused = limits.Units(table, "partition", 0.0, 1.0), []
    for call in range(calls):
        limit = table.refuses(units, [call % keys], second + call / calls)
        if limit:
            refused.append(limit)
        else:
            table.takes(units, [call % keys])
    return refused


def erlang_b(load, servers):
    """Share of Poisson arrivals that find all servers busy."""
    share = 1.0
    for server in range(1, servers + 1):
        share = load * share / (server + load * share)
    return share


class Limits(unittest.TestCase):
    def test_a_bucket_lets_its_burst_and_its_rate_through(self):
        bucket = limits.Bucket(200, 400)
        passed = sum(bucket.take(1, now / 1000) for now in range(10_000))
        self.assertAlmostEqual(passed, 400 + 200 * 10, delta=1)

    def test_a_partition_refuses_the_excess_after_its_burst_capacity(self):
        table = limits.Table("t", 12_000, 4_000, 40_000, burst=10)
        refused = [len(write(table, second, 1500)) for second in range(40)]
        # At an excess of half the capacity, ten seconds' worth of burst capacity lasts twenty seconds.
        self.assertEqual(sum(refused[:19]), 0)
        self.assertAlmostEqual(sum(refused), 40 * 1500 - (10 + 40) * 1000, delta=2)
        self.assertEqual(set(write(table, 40, 1500)), {"partition"})

    def test_reads_and_writes_share_a_partition(self):
        for reads, refused in ((0.0, 0), (1500.0, 0), (3000.0, 500)):
            table = limits.Table("t", 12_000, 4_000, 40_000, burst=1)
            table.takes(limits.Units(table, "", reads, 0.0), [0])
            self.assertAlmostEqual(len(write(table, 0, 1500)), refused, delta=2)

    def test_partitions_are_as_many_as_the_throughput_needs(self):
        for reads, writes, partitions in ((12_000, 4_000, 4), (30_000, 4_000, 10), (12_000, 6_001, 7)):
            self.assertEqual(len(limits.Table("t", reads, writes, 40_000, 300).partitions), partitions)

    def test_a_new_table_takes_its_throughput_and_later_twice_its_peak(self):
        table = limits.Table("t", 12_000, 4_000, 40_000, burst=300)
        self.assertFalse(write(table, 10, 7900, keys=4))
        refused = write(table, 11, 6000, keys=4)
        self.assertAlmostEqual(len(refused), 6000 - 4000 - 100, delta=5)
        self.assertEqual(set(refused), {"t: throughput of the table"})
        table.used = [0.0, 3000.0 * 360]
        for minute in range(0, 36, 6):
            self.assertEqual(table.throughput[1].rate, 4000, minute)
            table.step(360, 6)
        self.assertEqual(table.throughput[1].rate, 6000)
        self.assertEqual(len(table.partitions), 6)

    def test_a_table_has_a_quota(self):
        table = limits.Table("t", 12_000, 400_000, 2_000, burst=300)
        refused = write(table, 10, 6000, keys=4)
        self.assertAlmostEqual(len(refused), 6000 - 2000 - 2000, delta=5)
        self.assertEqual(set(refused), {"t: quota of the table"})

    def test_concurrency_is_little_s_law_and_its_refusals_erlang_s_formula(self):
        seconds, rate = capacity.SECONDS["ingest"], 100
        wanted = capacity.concurrency(CALLS, capacity.Load(rate))["ingest"]
        for servers in (1000, 35, 18):
            mean, refused = self.served(seconds, rate, servers)
            self.assertAlmostEqual(refused, erlang_b(wanted, servers), delta=0.02)
            self.assertAlmostEqual(mean, wanted * (1 - erlang_b(wanted, servers)), delta=0.05 * wanted)

    @staticmethod
    def served(seconds, rate, servers):
        """Mean concurrent executions, and the share of refused ones, for Poisson arrivals."""
        env, source = simpy.Environment(), random.Random(1)
        function = limits.Function(limits.Pool("pool", servers), 600)
        seen, refused = [], []

        def invocation():
            limit, _ = function.starts(env.now)
            refused.append(limit is not None)
            if not limit:
                yield env.timeout(seconds)
                function.ends(env.now)

        def arrivals():
            while True:
                yield env.timeout(source.expovariate(rate))
                seen.append(function.pool.active)
                env.process(invocation())

        env.process(arrivals())
        env.run(until=300)
        return sum(seen) / len(seen), sum(refused) / len(refused)

    def test_a_function_gets_a_thousand_environments_at_once_and_a_hundred_a_second(self):
        function = limits.Function(limits.Pool("pool", 5000), 600)
        at_once = [function.starts(0.0)[0] for _ in range(1500)]
        self.assertEqual((at_once.count(None), at_once.count("Lambda: new environments")), (1000, 500))
        self.assertEqual([function.starts(1.0)[0] for _ in range(150)].count(None), 100)

    def test_an_idle_environment_is_reused_until_it_ends(self):
        function = limits.Function(limits.Pool("pool", 10), 600)
        starts = []
        for now in (0.0, 500.0, 1101.0):
            starts.append(function.starts(now)[1])
            function.ends(now)
        self.assertEqual(starts, [True, False, True])

    def test_requests_are_ten_times_the_concurrency(self):
        function = limits.Function(limits.Pool("pool", 5), 600)
        passed = 0
        for call in range(200):
            if not function.starts(call / 1000)[0]:
                passed += 1
                function.ends(call / 1000)
        self.assertAlmostEqual(passed, 50 + 50 * 0.2, delta=1)

    def test_an_hour_has_its_creations(self):
        creations = limits.Creations([100, 200])
        creations.add(1, 150)
        self.assertEqual([sum(creations.take(client) for _ in range(130)) for client in (0, 1)], [100, 50])
        creations.new_hour()
        self.assertTrue(creations.take(0))

    def test_transactions_of_one_item_are_in_conflict(self):
        locks = limits.Locks()
        self.assertIsNone(locks.take(["a", "b"]))
        self.assertEqual(locks.take(["c", "b"]), "b")
        self.assertIsNone(locks.take(["c"]))
        locks.release(["a", "b"])
        self.assertIsNone(locks.take(["b"]))


class Course(unittest.TestCase):
    def test_nothing_is_lost_when_idle(self):
        outcome = run(model.Day(peak=5.0, sample=60))
        self.assertGreater(count(outcome.captures), 1000)
        self.assertEqual(outcome.done, outcome.captures)
        self.assertFalse(outcome.lost)
        self.assertEqual([limit for limit in outcome.throttled if not limit.startswith("conflict")], [])

    def test_captures_are_done_unread_or_lost(self):
        outcome = run(model.Day(peak=60.0, sample=20, **HOUR))
        lost = simulate_day.lost(outcome)
        self.assertGreater(count(lost), 0)
        self.assertEqual(count(outcome.captures), count(outcome.done) + count(outcome.unread) + count(lost))

    def test_a_day_is_its_seed_s(self):
        days = [model.Day(peak=40.0, sample=60, seed=seed, **HOUR) for seed in (1, 1, 2)]
        first, again, other = (simulate_day.days_tables([("day", day, run(day))]) for day in days)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_what_a_capture_asks_is_what_is_recorded(self):
        day = model.Day(peak=20.0, sample=20, **HOUR)
        simulated = model.Model(CALLS, day, model.Parameters())
        captures = count(simulated.run().captures)
        for name in ("sessions", "frames", "evidence", "personal"):
            table = simulated.tables[name]
            self.assertEqual(len(table.peaks), 60 // model.STEP_MINUTES)
            for kind, units in enumerate(("reads", "writes")):
                used = sum(peak[kind] for peak in table.peaks) * simulated.part + table.used[kind]
                asked = sum(call[units] * call["times"] for rows in CALLS["functions"].values() for call in rows
                            if call.get("table") == name)
                self.assertAlmostEqual(used, asked * captures, delta=1e-3, msg=f"{name}, {units}")

    def test_requests_are_those_of_capacity(self):
        sums = {gateway: sum(times for name, times in model.REQUESTS.values() if name == gateway) for gateway in ("web", "licenses")}
        # capacity.py counts the long response of an ingest twice, as it is billed.
        self.assertEqual(sums, {"web": capacity.WEB_REQUESTS, "licenses": capacity.LICENSE_REQUESTS})

    def test_a_capture_takes_its_requests_from_the_gateways(self):
        simulated = model.Model(CALLS, model.Day(peak=20.0, sample=60, **HOUR), model.Parameters(RequestsPerSecond=0.0, RequestBurst=1e6))
        captures = count(simulated.run().done)
        self.assertEqual({name: 1e6 - bucket.level for name, bucket in simulated.gateways.items()},
                         {"web": 6 * captures, "licenses": 2 * captures})

    def test_attempts_are_bounded(self):
        outcome = run(model.Day(peak=20.0, sample=60, **HOUR), RequestsPerSecond=0.0, RequestBurst=0.0)
        captures, limit = count(outcome.captures), "`RequestsPerSecond`, licenses"
        self.assertEqual(count(outcome.throttled[limit]), model.PERSON.attempts * captures)
        self.assertEqual(count(outcome.lost[limit]), captures)

    def test_a_gateway_lets_no_more_through_than_its_rate(self):
        day = model.Day(peak=200.0, sample=20, **HOUR)
        outcome = run(day, IngestConcurrency=500.0)
        seconds = 10 * 360 / day.sample
        self.assertGreater(count(outcome.throttled["`RequestsPerSecond`, web"]), 0)
        self.assertLessEqual(count(outcome.done) * 6, 400 + 200 * (seconds + 120))

    def test_the_sdk_tries_a_signature_three_times(self):
        outcome = run(model.Day(peak=10.0, sample=60, **HOUR), KmsRsa=0.0)
        refused, captures = count(outcome.throttled["KMS: RSA operations"]), count(outcome.captures)
        self.assertEqual(refused, model.CALL_ATTEMPTS * model.PERSON.attempts * captures)
        self.assertEqual(count(outcome.lost["KMS: RSA operations"]), captures)

    def test_every_limit_can_refuse(self):
        day = model.Day(peak=100.0, sample=60, **HOUR)
        plenty = {"RequestsPerSecond": 1e4, "RequestBurst": 1e4, "IngestConcurrency": 100.0}
        for changes, limit in (
                ({"Gateway": 20.0}, "API Gateway: requests a second"),
                ({"IngestConcurrency": 10.0}, "`IngestConcurrency`"),
                ({"Concurrency": 103.0}, "Lambda: concurrent executions"),
                ({"KmsEcc": 50.0}, "KMS: ECC operations"),
                ({"S3Writes": 50.0}, "S3: writes of uploads"),
                ({"TableUnits": 1000.0}, "accounts: quota of the table"),
                ({"warm": {"sessions": (100, 100)}}, "sessions: throughput of the table"),
                ({"PartitionBurst": 1, "warm": {"accounts": (3000, 1000)}}, "accounts: a partition, `volume#{license}#{shard}`"),
                ({"CreationsAnHour": 10.0}, model.CREATIONS)):
            with self.subTest(limit):
                self.assertGreater(count(run(day, **{**plenty, **changes}).throttled[limit]), 0)

    def test_one_client_meets_conflicts_that_thousands_do_not(self):
        plenty = {"RequestsPerSecond": 1e4, "RequestBurst": 1e4, "IngestConcurrency": 100.0, "CreationsAnHour": 1e6}
        conflicts = []
        for clients in (1, 3000):
            outcome = run(model.Day(peak=100.0, clients=clients, zipf=0.0, sample=60, **HOUR), **plenty)
            limit = "conflict of transactions: `volume#{license}#{shard}`"
            conflicts.append(count(outcome.throttled[limit]) / count(outcome.captures))
        # At 95 a second on 16 shards, each locked for 20 ms, a shard is locked this share of the time.
        self.assertAlmostEqual(conflicts[0], 95 / 16 * model.TRANSACTION_SECONDS, delta=0.04)
        self.assertLess(conflicts[1], 0.01)

    def test_a_campaign_uses_up_the_creations_of_its_client_only(self):
        day = model.Day(peak=5.0, sample=1, campaign=(10.0, 10 * 60 + 30), **HOUR)
        outcome = run(day)
        simulated = model.Model(CALLS, day, model.Parameters())
        asked = 10.0 * model.CAMPAIGN_MINUTES * 60 + simulated.shares[model.CAMPAIGN_RANK - 1] * 5.0 * 0.97 * 3600
        excess = asked - simulated.creations.limits[model.CAMPAIGN_RANK - 1]
        self.assertAlmostEqual(count(outcome.lost[model.CREATIONS]), excess, delta=0.05 * excess)
        self.assertEqual(outcome.throttled[model.CREATIONS], outcome.lost[model.CREATIONS])

    def test_a_sample_stands_for_the_rest(self):
        shares = []
        for sample in (8, 16):
            outcome = run(model.Day(peak=60.0, sample=sample, hours=(8, 11)))
            shares.append(count(outcome.done) / count(outcome.captures))
        self.assertAlmostEqual(*shares, delta=0.05)

    def test_raised_parameters_are_a_multiple_of_capacity_s(self):
        day = model.Day(peak=1000.0, timestamps=True)
        parameters = model.raised(CALLS, day, 2)
        executions = capacity.concurrency(CALLS, day.load())
        self.assertEqual(parameters.IngestConcurrency, 2 * executions["ingest"])
        self.assertEqual(parameters.KmsRsa, 2000)
        self.assertGreaterEqual(parameters.Concurrency, 2 * sum(executions.values()) + limits.UNRESERVED)
        self.assertEqual(parameters.warm["frames"], (12_000, 4_000))
        self.assertEqual(model.raised(CALLS, model.Day(peak=1.0), 2).RequestsPerSecond, capacity.REQUESTS_PER_SECOND)


class Page(unittest.TestCase):
    def test_a_page_of_another_model_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            table = "\n".join(simulate_day.assumption_table())
            for text, wanted in ((f"<!-- of {simulate_day.digest()} -->\n{table}", 0), (f"<!-- of 0 -->\n{table}", 1),
                                 (f"<!-- of {simulate_day.digest()} -->", 1)):
                page.write_text(f"before\n{simulate_day.MARK}\n{text}\n{simulate_day.MARK}\nafter", encoding="utf-8")
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(simulate_day.check(page), wanted)

    def test_a_leaf_is_written_twice_for_each_capture_and_the_head_twice_for_each_batch(self):
        day = model.Day(peak=20.0, sample=6, **HOUR)
        service = model.Model(CALLS, day, model.Parameters())
        done = count(service.run().done)
        log = service.tables["log"]
        # Completed steps, and the rest until the last capture is done.
        written = sum(writes for _, writes in log.peaks) * service.part + log.used[1]
        # A shard that fills for five seconds gets at least some leaves.
        self.assertGreaterEqual(written, 2 * done)
        self.assertLess(written, 3 * done)

    def test_assumptions_are_the_constants(self):
        table = "\n".join(simulate_day.assumption_table())
        for value in (capacity.GATEWAY, limits.GATEWAY_BURST, limits.SCALING_ENVIRONMENTS, capacity.TABLE_UNITS):
            self.assertIn(f"{value:,}", table)

    def test_options_are_read(self):
        self.assertEqual(simulate_day.hours("9-11"), (9, 11))
        self.assertEqual(simulate_day.campaign("50@14:30"), (50.0, 870))
        with self.assertRaises(ValueError):
            simulate_day.hours("11-9")
        found = simulate_day.parameters_of(["raised,IngestConcurrency=7", "accounts=1/2"], CALLS, model.Day(), 2)
        self.assertEqual((found.IngestConcurrency, found.warm["accounts"], found.RequestsPerSecond),
                         (7.0, (1.0, 2.0), 2 * 100 * capacity.WEB_REQUESTS))
        self.assertEqual(simulate_day.spans({8, 9, 10, 13}), "8 to 11, 13 to 14")
        day = dataclasses.replace(model.Day(), peak=1.0)
        self.assertAlmostEqual(day.captures_of_peak(), 3600 * sum(model.CURVE), delta=10)


if __name__ == "__main__":
    unittest.main()
