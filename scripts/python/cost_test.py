"""Tests the computation of costs with calls whose costs were calculated by hand."""

import json
import unittest

import capacity
import cost
from capacity import Load


def recorded(**functions):
    return {"replicas": 4, "shards": 16, "functions": functions}


class Cost(unittest.TestCase):
    def test_a_million_captures_cost_what_their_calls_do(self):
        asked = recorded(ingest=[
            {"service": "dynamodb", "partition": "session#{session}", "reads": 2.0, "writes": 3.0, "times": 2},
            {"service": "kms", "operation": "Sign", "key": "seal", "times": 1},
            {"service": "kms", "operation": "Decrypt", "key": "webhooks", "times": 1},
            {"service": "s3", "operation": "PutObject", "bucket": "proofs", "times": 2},
            {"service": "s3", "operation": "GetObject", "bucket": "uploads", "times": 1},
            {"service": "s3", "operation": "DeleteObject", "bucket": "uploads", "times": 1}])
        dollars = {service: dollars for service, _, dollars in cost.services(asked, Load(1))}
        self.assertAlmostEqual(dollars["DynamoDB, read units"], 4 * 0.1875)
        self.assertAlmostEqual(dollars["DynamoDB, write units"], 6 * 0.9375)
        self.assertAlmostEqual(dollars["KMS"], 3.00 + 3.00)
        self.assertAlmostEqual(dollars["S3, PUT"], 14.00)
        # The preflight, the backend's GET of the manifest, and that of the upload; a deletion is free.
        self.assertAlmostEqual(dollars["S3, others"], 3 * 0.56)
        self.assertAlmostEqual(dollars["Lambda, GB-seconds"], 0.35 * 1.769 * 13.3334)
        self.assertAlmostEqual(cost.total(asked, Load(1)), sum(dollars.values()))

    def test_shared_batches_cost_less(self):
        calls = json.loads(capacity.CALLS.read_text(encoding="utf-8"))
        alone, shared = (cost.total(calls, load) for load in (cost.LOADS[0], cost.LOADS[-1]))
        # A batch of the transparency log alone costs 50 dollars per million.
        self.assertGreater(alone - shared, 50)

    def test_the_page_s_script_has_the_size_that_is_assumed(self):
        assets = capacity.CALLS.parents[2] / "functions/capture-page/assets"
        largest = max(file.stat().st_size for file in assets.iterdir())
        self.assertLess(abs(largest / cost.ASSET_BYTES - 1), 0.25, "the table is about another script")

    def test_a_day_of_an_attack_costs_what_its_requests_do(self):
        # A million requests: 1.59 gateway, 0.20 invocations, 0.2 seconds of Lambda, 3.5625 for 19 reads, 0.783 logs,
        # 0.15 responses.
        asked = {"functions": {"validate": [{"reads": 1.0, "times": 19}]}}
        script, validate, load = cost.requests(asked)
        self.assertEqual((validate.reads, load.reads), (19.0, 1))
        self.assertAlmostEqual(cost.million_at_gateway(validate), 1.59 + 0.20 + 0.200001 + 3.5625 + 0.63)
        self.assertAlmostEqual(cost.direct(validate, 200), 17.28 * (6.182501 + 0.15), places=3)
        self.assertAlmostEqual(cost.direct(validate, 20), cost.direct(validate, 200) / 10)

    def test_the_firewall_is_charged_for_what_it_refuses_and_the_rest_for_what_it_passes(self):
        request = cost.Request("", 0, 0.0, 0, 0)
        refused = cost.through_edge(request, 0)
        self.assertAlmostEqual(refused, 17.28 * 0.60)
        # A route's limit bounds the cost behind the gateway, but not that of CloudFront.
        at_the_limit, above = (cost.through_edge(request, passed) for passed in (capacity.ROUTE_REQUESTS_PER_SECOND, 200))
        self.assertAlmostEqual(above - at_the_limit, cost.of_a_day(130, 2.20))
        cached = cost.Request("", 0, 0.0, 1_000_000, 0, is_cached=True)
        self.assertAlmostEqual(cost.through_edge(cached, 200) - refused, 17.28 * (2.20 + 110))


if __name__ == "__main__":
    unittest.main()
