"""A day of captures as a discrete-event simulation, by SimPy: what each call asks is capture.json's, and meets day_limits.py.

The day has steps of six minutes. Of each step the first part, one in `sample`, is simulated call by call, and stands for the
rest; SimPy's clock runs through these parts only. What is long and meets no limit (a photo, an upload), and the burst
capacity of partitions, is divided by `sample`; the sessions that an hour's limit counts include those of the rest.
"""

import math
import random
import re
from bisect import bisect
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import accumulate
from zlib import crc32

import capacity
import simpy
from day_limits import (
    GATEWAY_BURST, PARTITION_BURST, UNRESERVED, Bucket, Creations, Function, Locks, Pool, Table, Units,
)

STEP_MINUTES = 6
# template.yaml: the default of RequestBurst.
REQUEST_BURST = 400
# The gateway of each request, and how often it is asked: a browser's preflight is a request of its own.
REQUESTS = {"validate": ("licenses", 2), "create-session": ("web", 1), "load-session": ("web", 2), "ingest": ("web", 2),
            "session-results": ("web", 1)}
# Captures of each hour, as a share of the peak. Assumed.
CURVE = (.03, .02, .015, .01, .01, .02, .06, .18, .45, .80, 1, .95, .65, .70, .95, 1, .98, .85, .60, .42, .35, .28, .16, .07)
# A client's share of the load is 1 / rank to this power. Assumed.
ZIPF = 1.0
# API keys of a client, as a multiple of what its peak hour needs. Assumed.
KEY_RESERVE = 2
# The campaign of one client: its rank, and how long it lasts. Assumed.
CAMPAIGN_RANK, CAMPAIGN_MINUTES = 10, 18
# Seconds of a person at the camera, and of the upload. Assumed.
PHOTO_SECONDS, UPLOAD_SECONDS = 20.0, 2.0
# A duration is spread evenly over so much of its mean, to either side. Assumed.
SPREAD = 0.5
# Seconds that a cold start adds; seconds after which an idle environment ends. Assumed: AWS states none.
COLD_SECONDS, IDLE_SECONDS = 0.3, 600
# Seconds in which a transaction holds its items. Assumed.
TRANSACTION_SECONDS = 0.02
# shared/storage/src/connection.rs: attempts of a call, seconds of the first window for a wait, and of the longest.
CALL_ATTEMPTS, CALL_WAIT, CALL_LONGEST = 3, 0.05, 1.0
# shared/storage/src/item.rs: rounds for unprocessed keys of a batch, and seconds that are doubled before each.
BATCH_ROUNDS, BATCH_WAIT = 4, 0.05
# shared/storage/src/transaction.rs: seconds that are doubled for a window, how often at most, and tries after the first one of `alerts`.
TRANSACTION_WAIT, TRANSACTION_DOUBLED, TRANSACTION_ROUNDS = 0.02, 5, 8
# shared/storage/src/budgets.rs: seconds of a commit.
COMMIT_SECONDS = 4.0
# Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB": polls of a shard a second.
POLLS = 4
# Seconds until a batch that failed comes again. Assumed.
BATCH_AGAIN = 1.0
SHARED = {"client", "license", "license_key", "api_key", "replica", "shard", "environment", "month"}
OF_CLIENT = {"client", "license", "license_key", "api_key"}
# The streams: whose table's, the records of a batch, and the seconds that it waits to fill. A leaf waits once the record is
# exported, which takes no time here.
STREAMS = {"alerts": ("evidence", capacity.BATCH, capacity.WINDOW), "export": ("evidence", capacity.BATCH, 0.0),
           "sequencer": ("log", capacity.LOG_BATCH, capacity.LOG_WINDOW)}
CREATIONS = "one API key: sessions an hour"


@dataclass(frozen=True)
class Parameters:
    """The template's parameters, and quotas of the account."""

    RequestsPerSecond: float = capacity.REQUESTS_PER_SECOND
    RequestBurst: float = REQUEST_BURST
    IngestConcurrency: float = capacity.INGEST_CONCURRENCY
    Gateway: float = capacity.GATEWAY
    Concurrency: float = capacity.CONCURRENCY
    KmsRsa: float = capacity.KMS["seal"][1]
    KmsEcc: float = capacity.KMS["claim"][1]
    S3Writes: float = capacity.S3_WRITES
    TableUnits: float = capacity.TABLE_UNITS
    CreationsAnHour: float = capacity.CREATIONS_AN_HOUR
    PartitionBurst: float = PARTITION_BURST
    # Reads and writes that a table is warmed for, or has reached before.
    warm: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Actor:
    """Who tries again after a 429 or 5xx: how often in all, and the seconds between which the first wait lies, later doubled."""

    attempts: int
    least: float
    most: float

    def wait(self, attempt, random_share):
        """Seconds before the next attempt."""
        return (self.least + (self.most - self.least) * random_share) * 2 ** (attempt - 1)


# The component does not try again: a person presses its button again. Assumed, as is an integrator's backend.
PERSON, BACKEND = Actor(3, 5.0, 15.0), Actor(4, 0.0, 1.0)
# The course of a capture: who takes the steps, and repeats them.
COURSE = ((PERSON, ("validate",)), (BACKEND, ("create-session",)), (PERSON, ("load-session", "photo", "upload", "ingest")),
          (BACKEND, ("session-results",)))


@dataclass(frozen=True)
class Day:
    """The load: captures a second at the peak, clients, hours (from, to), a campaign (captures a second, minute of the day)."""

    peak: float = 100.0
    clients: int = 3000
    zipf: float = ZIPF
    timestamps: bool = False
    hours: tuple = (0, 24)
    campaign: tuple = ()
    sample: int = 10
    seed: int = 1

    def load(self):
        """The same for capacity.py, which spreads it evenly."""
        return capacity.Load(self.peak, self.clients, self.timestamps)

    def shares(self):
        """Of each client in the load."""
        weights = [rank ** -self.zipf for rank in range(1, self.clients + 1)]
        return [weight / sum(weights) for weight in weights]

    def rate(self, minute):
        """Captures a second at a minute of the day, between the middles of hours."""
        at = minute / 60 - 0.5
        before = math.floor(at)
        part = at - before
        return self.peak * (CURVE[before % 24] * (1 - part) + CURVE[(before + 1) % 24] * part)

    def captures_of_peak(self):
        """Captures of a whole day for each a second at the peak."""
        return sum(self.rate(minute) for minute in range(24 * 60)) * 60 / self.peak

    def of_campaign(self, minute):
        """Captures a second of the campaign."""
        return self.campaign[0] if self.campaign and 0 <= minute - self.campaign[1] < CAMPAIGN_MINUTES else 0.0


def raised(calls, day, reserve):
    """Parameters and quotas for a load, with so many times what capacity.py computes; none below its default."""
    load, default = day.load(), Parameters()
    executions = capacity.concurrency(calls, load)
    ingest = math.ceil(reserve * executions["ingest"])
    needs = {
        "RequestsPerSecond": reserve * load.rate * capacity.WEB_REQUESTS,
        "RequestBurst": reserve * load.rate * capacity.WEB_REQUESTS,
        "IngestConcurrency": ingest,
        "Gateway": reserve * load.rate * (capacity.WEB_REQUESTS + capacity.LICENSE_REQUESTS),
        "Concurrency": math.ceil(reserve * sum(executions.values())) + UNRESERVED,
        "KmsRsa": reserve * load.rate,
        "KmsEcc": reserve * load.rate,
        "TableUnits": reserve * max(max(units) for units in capacity.tables(calls, load).values()),
    }
    warm = {table: (max(capacity.NEW_TABLE_READS, reserve * reads), max(capacity.NEW_TABLE_WRITES, reserve * writes))
            for table, (reads, writes) in capacity.tables(calls, load).items()}
    return Parameters(warm=warm, **{name: max(getattr(default, name), need) for name, need in needs.items()})


@dataclass(slots=True)
class Call:
    """One row of capture.json, with the limits that it meets."""

    where: str
    bucket: Bucket | None
    units: Units | None
    pattern: str
    times: int
    is_shared: bool
    of_client: bool
    batch: bool
    for_each: bool


@dataclass
class Plan:
    """What an invocation asks: calls one by one, then a transaction."""

    calls: list
    transaction: list


@dataclass(slots=True)
class Capture:
    """A capture on its way: its client, the hour it began in, and the seconds of its steps that were not in vain."""

    client: int
    hour: int
    useful: float = 0.0


class Outcome:
    """What is counted: by hour, each count stands for `sample` captures or calls."""

    def __init__(self):
        self.captures, self.done, self.unread = Counter(), Counter(), Counter()
        self.throttled, self.lost = defaultdict(Counter), defaultdict(Counter)
        self.added = []
        # Seconds that the oldest record of a batch has waited when it is done; the fullest partition: its share, its table.
        self.behind = Counter()
        self.fullest = 0.0, ""


class Model:
    """The service on its day."""

    def __init__(self, calls, day, parameters):
        self.day, self.parameters, self.recorded = day, parameters, calls
        self.env = simpy.Environment()
        self.random = random.Random(day.seed)
        self.outcome = Outcome()
        self.hour, self.under_way, self.is_open = day.hours[0], 0, True
        self.part = STEP_MINUTES * 60 / day.sample
        self.shares = day.shares()
        self.cumulative = list(accumulate(self.shares))
        self.hashes = {}
        self.locks = Locks()
        self.make_gateways()
        self.make_functions()
        self.make_storage()
        self.plans = {name: self.plan(name, rows) for name, rows in calls["functions"].items()}
        self.creations = Creations([self.keys(share) * parameters.CreationsAnHour for share in self.shares])
        self.steps = {"photo": self.photo, "upload": self.upload}
        self.streams = {function: [[] for _ in self.tables[table].partitions] for function, (table, *_) in STREAMS.items()}

    def make_gateways(self):
        """The buckets of the account and of both gateways."""
        limits = self.parameters
        self.account = Bucket(limits.Gateway, GATEWAY_BURST)
        self.gateways = {name: Bucket(limits.RequestsPerSecond, limits.RequestBurst) for name in ("web", "licenses")}

    def make_functions(self):
        """Functions with the concurrency that they share."""
        limits = self.parameters
        rest = Pool("Lambda: concurrent executions", limits.Concurrency - limits.IngestConcurrency)
        reserved = Pool("`IngestConcurrency`", limits.IngestConcurrency) if limits.IngestConcurrency else rest
        self.functions = {name: Function(reserved if name == "ingest" else rest, IDLE_SECONDS) for name in capacity.SECONDS}

    def make_storage(self):
        """Tables, keys and buckets."""
        limits, tables = self.parameters, {}
        for row in (row for rows in self.recorded["functions"].values() for row in rows if row["service"] == "dynamodb"):
            warm = limits.warm.get(row["table"], (capacity.NEW_TABLE_READS, capacity.NEW_TABLE_WRITES))
            tables[row["table"]] = Table(row["table"], *warm, limits.TableUnits, limits.PartitionBurst / self.day.sample)
        self.tables = tables
        self.kms = {"seal": Bucket(limits.KmsRsa, limits.KmsRsa), "claim": Bucket(limits.KmsEcc, limits.KmsEcc)}
        # The checkpoints of the log share the quota of elliptic curves.
        self.kms["checkpoint"] = self.kms["claim"]
        self.s3 = defaultdict(lambda: Bucket(limits.S3Writes, limits.S3Writes))

    def keys(self, share):
        """API keys of a client: whole ones, enough for its peak hour and a reserve."""
        return math.ceil(KEY_RESERVE * share * self.day.peak * 3600 / capacity.CREATIONS_AN_HOUR)

    def plan(self, function, rows):
        """Sorts what a function asks. Reads of S3 meet no limit here."""
        calls = [(row, self.compiled(function, row)) for row in rows
                 if row["service"] != "s3" or row["operation"] in ("PutObject", "DeleteObject")]
        in_transaction = [call for row, call in calls if row["operation"] == "TransactWriteItems"]
        return Plan([call for _, call in calls if call not in in_transaction], in_transaction)

    def compiled(self, function, row):
        """A row with its limits."""
        units, bucket, pattern = None, None, row.get("partition", "")
        if row["service"] == "kms":
            kind, _ = capacity.KMS["seal" if row["key"] == "seal" else "claim"]
            bucket, where = self.kms[row["key"]], f"KMS: {kind} operations"
        elif row["service"] == "s3":
            bucket, where = self.s3[row["bucket"]], f"S3: writes of {row['bucket']}"
        else:
            where = f"{row['table']}: a partition, `{pattern}`"
            units = Units(self.tables[row["table"]], where, row["reads"], row["writes"])
        names = set(re.findall(r"{(\w+)}", pattern))
        of_client = bool(names & OF_CLIENT)
        # Of a batch `export` stores an object for each capture, and the sequencer some for all of them.
        for_each = of_client or "capture" in names or (row["service"] == "s3" and function != "sequencer")
        return Call(where, bucket, units, pattern, row["times"], names <= SHARED, of_client,
                    row["operation"] in ("BatchGetItem", "BatchWriteItem"), for_each)

    # --- Keys ---

    def spread(self, pattern, client):
        """The hashes of a key that captures share, of all its replicas or shards."""
        found = self.hashes.get((pattern, client))
        if found is None:
            names = defaultdict(lambda: client)
            copies = ({"replica": self.recorded["replicas"]} if "{replica}" in pattern else
                      {"shard": self.recorded["shards"]} if "{shard}" in pattern else {"": 1})
            (name, count), = copies.items()
            found = [crc32(pattern.format_map(defaultdict(lambda: client, names, **{name: copy})).encode())
                     for copy in range(count)]
            self.hashes[pattern, client] = found
        return found

    def hashes_of(self, call, client):
        """The keys of a call. What belongs to one capture lies anywhere."""
        if not call.is_shared:
            return [self.random.getrandbits(32) for _ in range(call.times)]
        found = self.spread(call.pattern, client if call.of_client else -1)
        if len(found) == call.times:
            return found
        return [found[int(self.random.random() * len(found))]] * call.times

    # --- Calls to AWS ---

    def count(self, limit):
        """Counts a call that a limit refuses."""
        self.outcome.throttled[limit][self.hour] += 1
        return limit

    def refused(self, call, client):
        """Makes a call: the limit that refuses it, or None."""
        now = self.env.now
        if call.bucket:
            return None if call.bucket.take(call.times, now) else self.count(call.where)
        units, hashes = call.units, self.hashes_of(call, client)
        limit = units.table.refuses(units, hashes, now)
        if limit:
            return self.count(limit)
        units.table.takes(units, hashes)
        return None

    def again(self, call, client, limit):
        """Further attempts at a refused call."""
        for attempt in range(1, BATCH_ROUNDS if call.batch else CALL_ATTEMPTS):
            yield self.env.timeout(self.wait(call, attempt))
            limit = self.refused(call, client)
            if not limit:
                return None
        return limit

    def wait(self, call, attempt):
        """Seconds before a further attempt."""
        if call.batch:
            return BATCH_WAIT * 2 ** attempt
        return min(CALL_WAIT * 2 ** (attempt - 1), CALL_LONGEST) * self.random.random()

    def ask(self, plan, clients, rounds):
        """Everything that an invocation asks: the limit at which it fails, or None."""
        for call in plan.calls:
            for client in clients if call.for_each else clients[:1]:
                limit = self.refused(call, client)
                if limit:
                    limit = yield from self.again(call, client, limit)
                    if limit:
                        return limit
        if plan.transaction:
            return (yield from self.transact(plan.transaction, clients, rounds))
        return None

    def transact(self, calls, clients, rounds):
        """A transaction, tried while time or rounds are left."""
        began, round_ = self.env.now, 0
        while True:
            limit, requests, items = self.prepared(calls, clients)
            if not limit:
                for call, hashes in requests:
                    call.units.table.takes(call.units, hashes)
                yield self.env.timeout(TRANSACTION_SECONDS)
                self.locks.release(items)
                return None
            self.count(limit)
            round_ += 1
            wait = TRANSACTION_WAIT * 2 ** min(round_, TRANSACTION_DOUBLED) * self.random.random()
            if (rounds and round_ > rounds) or self.env.now + wait - began > COMMIT_SECONDS:
                return limit
            yield self.env.timeout(wait)

    def prepared(self, calls, clients):
        """The requests of a transaction and the shared items that it locks; or the limit that cancels all of it."""
        requests = [(call, self.hashes_of(call, client))
                    for call in calls for client in (clients if call.for_each else clients[:1])]
        for call, hashes in requests:
            limit = call.units.table.refuses(call.units, hashes, self.env.now)
            if limit:
                return limit, [], []
        items = [(call.pattern, key) for call, hashes in requests if call.is_shared for key in hashes]
        held = self.locks.take(items)
        if held:
            return f"conflict of transactions: `{held[0]}`", [], []
        return None, requests, items

    # --- Invocations ---

    def around(self, seconds):
        """A duration around its mean."""
        return seconds * (1 - SPREAD + 2 * SPREAD * self.random.random())

    def invocation(self, name, clients, rounds=0):
        """An invocation: the limit at which it fails, or None, and the seconds it takes where nothing is in its way."""
        function = self.functions[name]
        limit, is_cold = function.starts(self.env.now)
        if limit:
            return self.count(limit), 0.0
        seconds = self.around(capacity.seconds(name, self.day.timestamps))
        plan = self.plans[name]
        before = max(seconds - TRANSACTION_SECONDS, 0.0) if plan.transaction else seconds
        yield self.env.timeout(before + COLD_SECONDS * is_cold)
        limit = yield from self.ask(plan, clients, rounds)
        function.ends(self.env.now)
        return limit, max(seconds, TRANSACTION_SECONDS) if plan.transaction else seconds

    def request(self, capture, name):
        """A request of a capture: the limit that refuses it, or None."""
        gateway, times = REQUESTS[name]
        for _ in range(times):
            if not self.account.take(1, self.env.now):
                return self.count("API Gateway: requests a second")
            if not self.gateways[gateway].take(1, self.env.now):
                return self.count(f"`RequestsPerSecond`, {gateway}")
        limit, seconds = yield from self.invocation(name, [capture.client])
        capture.useful += seconds
        if not limit and name == "create-session" and not self.creations.take(capture.client):
            return self.count(CREATIONS)
        if not limit and name == "ingest":
            self.record(capture.client)
        return limit

    # --- A capture ---

    def photo(self, capture, _):
        """The person takes the photo."""
        seconds = self.around(PHOTO_SECONDS / self.day.sample)
        capture.useful += seconds
        yield self.env.timeout(seconds)

    def upload(self, capture, _):
        """The browser uploads it."""
        for call in self.plans["browser"].calls:
            limit = self.refused(call, capture.client)
            if limit:
                return limit
        seconds = self.around(UPLOAD_SECONDS / self.day.sample)
        capture.useful += seconds
        yield self.env.timeout(seconds)
        return None

    def tried(self, capture, actor, steps):
        """Steps that are repeated together: the limit at which they are given up, or None."""
        useful = capture.useful
        for attempt in range(1, actor.attempts + 1):
            capture.useful = useful
            for step in steps:
                limit = yield from self.steps.get(step, self.request)(capture, step)
                if limit:
                    break
            else:
                return None
            # Its Retry-After is the rest of the hour.
            if limit == CREATIONS or attempt == actor.attempts:
                return limit
            yield self.env.timeout(actor.wait(attempt, self.random.random()))

    def capture(self, client):
        """A capture from its license check to its results."""
        began, capture, outcome = self.env.now, Capture(client, self.hour), self.outcome
        outcome.captures[capture.hour] += 1
        self.under_way += 1
        limit = None
        for actor, steps in COURSE:
            limit = yield from self.tried(capture, actor, steps)
            if limit:
                break
        if not limit:
            outcome.done[capture.hour] += 1
            outcome.added.append(max(0.0, self.env.now - began - capture.useful))
        elif steps == ("session-results",):
            outcome.unread[capture.hour] += 1
        else:
            outcome.lost[limit][capture.hour] += 1
        self.under_way -= 1

    # --- The stream ---

    def record(self, client):
        """A record of evidence, and the leaf that waits for its place, reach the streams' readers."""
        for shards in self.streams.values():
            shards[int(self.random.random() * len(shards))].append((self.env.now, client))

    def reader(self, function, shard):
        """Polls a shard of a stream, and hands over batches one after the other."""
        _, size, window = STREAMS[function]
        yield self.env.timeout(self.random.random() / POLLS)
        while self.is_open or shard:
            is_due = shard and (len(shard) >= size or self.env.now - shard[0][0] >= window)
            if not is_due:
                yield self.env.timeout(1 / POLLS)
                continue
            batch, shard[:] = shard[:size], shard[size:]
            clients = [client for _, client in batch]
            if function == "alerts":
                clients = list(dict.fromkeys(clients))
            while (yield from self.invocation(function, clients, TRANSACTION_ROUNDS))[0]:
                yield self.env.timeout(BATCH_AGAIN)
            self.outcome.behind[function] = max(self.outcome.behind[function], self.env.now - batch[0][0])

    # --- The day ---

    def client(self, campaign_share):
        """The client of a new capture."""
        if campaign_share and self.random.random() < campaign_share:
            return CAMPAIGN_RANK - 1
        return min(bisect(self.cumulative, self.random.random()), self.day.clients - 1)

    def arrivals(self):
        """Captures begin, step after step."""
        begin, end = (60 * hour for hour in self.day.hours)
        for minute in range(begin, end, STEP_MINUTES):
            if minute // 60 != self.hour:
                self.creations.new_hour()
            self.hour = minute // 60
            base, campaign = self.day.rate(minute + STEP_MINUTES / 2), self.day.of_campaign(minute)
            yield from self.arrivals_of_step(base + campaign, campaign)
            self.count_rest(base, campaign)
            for table in self.tables.values():
                table.step(self.part, STEP_MINUTES)
        while self.under_way:
            yield self.env.timeout(1)
        self.is_open = False

    def arrivals_of_step(self, rate, campaign):
        """A Poisson process of one rate."""
        end = self.env.now + self.part
        at = self.env.now
        while rate:
            at -= math.log(1 - self.random.random()) / rate
            if at >= end:
                break
            yield self.env.timeout(at - self.env.now)
            self.env.process(self.capture(self.client(campaign / rate)))
        yield self.env.timeout(end - self.env.now)

    def count_rest(self, base, campaign):
        """The sessions of a step's rest, which is not simulated call by call, count in their hour."""
        seconds = STEP_MINUTES * 60 - self.part
        for client, share in enumerate(self.shares):
            self.creations.add(client, share * base * seconds)
        if campaign:
            self.creations.add(CAMPAIGN_RANK - 1, campaign * seconds)

    def run(self):
        """The whole day, until the last capture and record are through."""
        for function, shards in self.streams.items():
            for shard in shards:
                self.env.process(self.reader(function, shard))
        self.env.process(self.arrivals())
        self.env.run()
        self.outcome.fullest = max((table.fullest, name) for name, table in self.tables.items())
        return self.outcome
