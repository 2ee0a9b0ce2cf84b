"""The limits that a simulated day meets, each for itself: token buckets, tables and their partitions, concurrency, locks.

Every limit refuses single calls: it says whether a call passes at a time, in seconds, and takes what the call needs.
Quotas are capacity.py's; what else AWS documents stands here with its source.
"""

import math
from collections import deque
from dataclasses import dataclass, field

import capacity

# API Gateway Developer Guide, "Quotas": requests that an account's bucket holds.
GATEWAY_BURST = 5000
# Lambda Developer Guide, "Lambda scaling behavior": new environments of one function in so many seconds, refilled continuously.
SCALING_ENVIRONMENTS, SCALING_SECONDS = 1000, 10
# Lambda Developer Guide, "Understanding Lambda function scaling": requests a second for each unit of concurrency.
REQUESTS_OF_CONCURRENCY = 10
# Lambda Developer Guide, "Configuring reserved concurrency": what an account keeps unreserved.
UNRESERVED = 100
# DynamoDB Developer Guide, "DynamoDB burst and adaptive capacity": seconds of unused capacity that a partition keeps.
PARTITION_BURST = 300
# DynamoDB Developer Guide, "DynamoDB on-demand capacity mode": a table takes so many times its previous peak, reached before
# so many minutes.
PEAK_FACTOR, PEAK_MINUTES = 2, 30
# Rounding of sums of fractions.
EPSILON = 1e-9


class Bucket:
    """A token bucket: it holds `size`, is full at first, and gains `rate` a second."""

    __slots__ = ("at", "level", "rate", "size")

    def __init__(self, rate, size, level=None):
        self.rate, self.size, self.at = rate, size, 0.0
        self.level = size if level is None else level

    def has(self, amount, now):
        """Whether so much is there at this time."""
        level = self.level + (now - self.at) * self.rate
        self.level = level if level < self.size else self.size
        self.at = now
        return level >= amount - EPSILON

    def take(self, amount, now):
        """Takes so much, if it is there."""
        if not self.has(amount, now):
            return False
        self.level -= amount
        return True


@dataclass(slots=True)
class Units:
    """What a call asks of each of its keys in a table, also as a share of a partition."""

    table: "Table"
    where: str
    reads: float
    writes: float
    of_partition: float = field(init=False)

    def __post_init__(self):
        self.of_partition = capacity.share(self.reads, self.writes)


class Table:
    """An on-demand table or index: its partitions, its throughput by the previous peak, its quota."""

    def __init__(self, name, reads, writes, quota, burst):
        self.too_fast, self.too_much = f"{name}: throughput of the table", f"{name}: quota of the table"
        self.burst = burst
        self.throughput = Bucket(reads, reads), Bucket(writes, writes)
        self.quotas = Bucket(quota, quota), Bucket(quota, quota)
        self.used, self.peaks, self.fullest = [0.0, 0.0], [], 0.0
        self.partitions, self.loads = [], []
        self.divide(burst)

    def divide(self, level):
        """Has as many partitions as its throughput needs; a new one has `level` of its burst capacity."""
        reads, writes = (bucket.rate for bucket in self.throughput)
        wanted = math.ceil(max(reads / capacity.PARTITION_READS, writes / capacity.PARTITION_WRITES) - EPSILON)
        self.partitions += [Bucket(1.0, max(self.burst, 1.0), level) for _ in range(wanted - len(self.partitions))]
        self.loads = [0.0] * len(self.partitions)

    def step(self, seconds, minutes):
        """Ends a step of the day: what was used in it is a peak when it is old enough."""
        self.fullest = max(self.fullest, max(self.loads) / seconds)
        self.peaks.append([used / seconds for used in self.used])
        self.used = [0.0, 0.0]
        previous = self.peaks[: -math.ceil(PEAK_MINUTES / minutes)] or [[0.0, 0.0]]
        for bucket, peak in zip(self.throughput, map(max, zip(*previous))):
            bucket.rate = bucket.size = max(bucket.rate, PEAK_FACTOR * peak)
        self.divide(1.0)

    def refuses(self, units, hashes, now):
        """The limit that a call of these keys exceeds, or None; nothing is taken."""
        keys = len(hashes)
        for kind, asked in enumerate((units.reads, units.writes)):
            if asked and not self.throughput[kind].has(keys * asked, now):
                return self.too_fast
            if asked and not self.quotas[kind].has(keys * asked, now):
                return self.too_much
        partitions = self.partitions
        for key in hashes:
            if not partitions[key % len(partitions)].has(units.of_partition, now):
                return units.where
        return None

    def takes(self, units, hashes):
        """Takes what a call needs that is not refused."""
        keys = len(hashes)
        for kind, asked in enumerate((units.reads, units.writes)):
            self.used[kind] += keys * asked
            self.throughput[kind].level -= keys * asked
            self.quotas[kind].level -= keys * asked
        partitions, loads = self.partitions, self.loads
        for key in hashes:
            partition = key % len(partitions)
            partitions[partition].level -= units.of_partition
            loads[partition] += units.of_partition


class Pool:
    """Concurrency that functions share: the reserved one of a function, or the account's rest."""

    def __init__(self, name, limit):
        self.name, self.limit, self.active = name, limit, 0
        rate = REQUESTS_OF_CONCURRENCY * limit
        self.requests = Bucket(rate, rate)


@dataclass
class Function:
    """A function's environments. An idle one is reused, the latest first, and ends after `idle` seconds."""

    pool: Pool
    idle: float
    free: deque = field(default_factory=deque)
    scaling: Bucket = field(default_factory=lambda: Bucket(SCALING_ENVIRONMENTS / SCALING_SECONDS, SCALING_ENVIRONMENTS))

    def starts(self, now):
        """The limit that refuses an invocation, or None; and whether it starts cold."""
        if self.pool.active >= self.pool.limit:
            return self.pool.name, False
        if not self.pool.requests.take(1, now):
            return "Lambda: requests a second", False
        while self.free and self.free[0] < now - self.idle:
            self.free.popleft()
        if not self.free and not self.scaling.take(1, now):
            return "Lambda: new environments", False
        self.pool.active += 1
        if self.free:
            self.free.pop()
            return None, False
        return None, True

    def ends(self, now):
        """Ends an invocation; its environment is idle."""
        self.pool.active -= 1
        self.free.append(now)


class Creations:
    """Sessions that a client creates in an hour, by API keys that it uses in turn."""

    def __init__(self, limits):
        self.limits = limits
        self.counts = [0.0] * len(limits)

    def new_hour(self):
        """Counts from zero."""
        self.counts = [0.0] * len(self.limits)

    def add(self, client, created):
        """Counts creations that are not simulated call by call."""
        self.counts[client] += created

    def take(self, client):
        """Counts one, if the hour's limit lets it through."""
        if self.counts[client] + 1 > self.limits[client] + EPSILON:
            return False
        self.counts[client] += 1
        return True


class Locks:
    """Items that transactions in flight write: another one of the same item is in conflict."""

    def __init__(self):
        self.held = set()

    def take(self, items):
        """Takes all of them, and returns None; or takes none, and returns one that is held."""
        for item in items:
            if item in self.held:
                return item
        self.held.update(items)
        return None

    def release(self, items):
        """Ends a transaction."""
        self.held.difference_update(items)
