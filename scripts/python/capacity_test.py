"""Tests the computation with calls whose results were calculated by hand."""

import json
import re
import unittest

import capacity
from capacity import Load


def call(partition, reads=0.0, writes=0.0, times=1, table="accounts"):
    return {"service": "dynamodb", "operation": "any", "table": table, "partition": partition,
            "reads": reads, "writes": writes, "times": times}


def calls(ingest, alerts=(), replicas=4, shards=16):
    others = {function: [] for function in capacity.SECONDS}
    return {"replicas": replicas, "shards": shards, "functions": {**others, "ingest": list(ingest), "alerts": list(alerts)}}


class Capacity(unittest.TestCase):
    def test_reads_are_spread_over_replicas_and_licenses(self):
        asked = calls([call("license#{license}#{replica}", reads=3.0)])
        key = ("accounts", "license#{license}#{replica}")
        self.assertEqual(capacity.partitions(asked, Load(1000))[key], [750.0, 0.0])
        self.assertEqual(capacity.partitions(asked, Load(1000, licenses=10))[key], [75.0, 0.0])
        self.assertEqual(capacity.partitions({**asked, "replicas": 1}, Load(1000))[key], [3000.0, 0.0])

    def test_reads_and_writes_share_a_partition(self):
        self.assertEqual(capacity.share(1500, 500), 1.0)

    def test_what_belongs_to_one_capture_is_no_hot_partition(self):
        asked = calls([call("session#{session}", reads=1.0, table="sessions"), call("{any}", writes=4.0, table="evidence")])
        self.assertEqual(capacity.partitions(asked, Load(1000)), {})
        self.assertEqual(capacity.tables(asked, Load(1000)), {"sessions": [1000.0, 0.0], "evidence": [0.0, 4000.0]})

    def test_a_batch_asks_once_for_each_of_its_licenses(self):
        asked = calls([call("{any}", writes=4.0, table="evidence")], [
            call("volume#{license}#{shard}", reads=1.0, times=16), call("captures#{month}", writes=2.0, times=2)])
        # The stream has four shards with 250 captures a second each, which is 2.5 full batches.
        self.assertEqual(capacity.shards_of_stream(asked, "evidence", 1000), 4)
        self.assertEqual(capacity.batches(4, 1000, 100, 5), 10.0)
        for licenses, in_a_batch in ((1, 1.0), (1_000_000, 99.995)):
            self.assertAlmostEqual(capacity.licenses_of(Load(1000, licenses), 100), in_a_batch, places=2)
        found = capacity.partitions(asked, Load(1000))
        self.assertEqual(found["accounts", "captures#{month}"], [0.0, 40.0])
        self.assertEqual(found["accounts", "volume#{license}#{shard}"], [10.0, 0.0])
        # At low traffic a batch waits five seconds in each shard that has records.
        self.assertAlmostEqual(capacity.batches(4, 10, 100, 5), 0.8)
        self.assertAlmostEqual(capacity.batches(4, 0.1, 100, 5), 0.1)

    def test_a_leaf_is_written_for_each_capture_and_the_head_for_each_batch(self):
        asked = {**calls([]), "functions": {"sequencer": [
            call("leaf#{capture}", writes=1.0, table="log"), call("head#{environment}", writes=2.0, table="log")]}}
        found = capacity.tables(asked, Load(1000))["log"]
        self.assertAlmostEqual(found[1], 1000 + 2 * capacity.batches(4, 1000, capacity.LOG_BATCH, capacity.LOG_WINDOW))
        self.assertEqual(capacity.partitions(asked, Load(1000)), {("log", "head#{environment}"): [0.0, 0.4]})

    def test_an_authority_s_time_is_an_ingest_s(self):
        asked = calls([])
        self.assertAlmostEqual(capacity.concurrency(asked, Load(100))["ingest"], 35)
        self.assertAlmostEqual(capacity.concurrency(asked, Load(100, timestamps=True))["ingest"], 135)

    def test_every_partition_of_what_is_recorded_is_at_most_half_used(self):
        recorded = json.loads(capacity.CALLS.read_text(encoding="utf-8"))
        for key, units in capacity.partitions(recorded, Load(1000)).items():
            self.assertLessEqual(capacity.share(*units), 0.5, key)

    def test_limits_and_sizes_are_those_of_the_templates_and_of_the_page(self):
        root = capacity.CALLS.parents[2]

        def default(file, parameter):
            text = (root / file).read_text(encoding="utf-8")
            return int(re.search(rf"^  {parameter}:.*?\bDefault: (\d+)", text, re.MULTILINE | re.DOTALL).group(1))

        self.assertEqual(default("template.yaml", "RequestsPerSecond"), capacity.REQUESTS_PER_SECOND)
        self.assertEqual(default("template.yaml", "RouteRequestsPerSecond"), capacity.ROUTE_REQUESTS_PER_SECOND)
        self.assertEqual(default("infra/firewall.yaml", "RequestsPerAddress"), capacity.REQUESTS_PER_ADDRESS)
        self.assertEqual(default("infra/firewall.yaml", "ValidationsPerAddress"), capacity.VALIDATIONS_PER_ADDRESS)


if __name__ == "__main__":
    unittest.main()
