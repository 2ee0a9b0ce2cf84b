"""The way of captures into the transparency log as a discrete-event simulation, by SimPy.

A record of evidence lies in a shard of its table's stream until `export` copies it, some records at a time, and lets its leaf wait
in the log's table; that table's stream brings the leaves to `sequencer`, which has one instance: shards compete for it. What
each asks of AWS is asked in the order of the code, call by call. Requests are counted, and compared with capacity.py's.
"""

import heapq
import math
import random
from collections import Counter, deque
from dataclasses import dataclass

import capacity
import cost
import simpy
from day_limits import PARTITION_BURST, Bucket
from day_model import BATCH_AGAIN, BATCH_WAIT, POLLS, SPREAD

# Seconds of a call, from the function. Assumed: AWS states 0.1 to 0.2 for S3, and less than 0.01 for DynamoDB's single items.
CALLS = {"GetItem": 0.008, "PutItem": 0.01, "UpdateItem": 0.01, "BatchGetItem": 0.02, "BatchWriteItem": 0.025,
         "GetObject": 0.03, "PutObject": 0.06, "Sign": 0.02}
# Bytes a second into S3. Assumed.
UPLOAD = 50e6
# Seconds of the processor for a leaf, of which hashes and paths take 0.000015 (docs/reference/benchmarks.md), and for a call. Assumed.
LEAF_SECONDS, CALL_SECONDS = 0.0001, 0.0005
# What is kept of a leaf until it is published: its capture, its path and its hashes, as JSON.
LEAF_BYTES = 1000
# Bytes of a leaf's item: its key, index and checkpoint, and each hash of its path.
LEAF_ITEM, HASH = 364, 32
# Leaves of the tree at the beginning.
TREE = 100_000_000
# shared/transparency/src/tile.rs.
TILE = 256
# shared/storage/src/log/state.rs and files.rs: items of a batch, and calls at once.
READS, WRITES, CONCURRENT_BATCHES, CONCURRENT_OBJECTS = 100, 25, 32, 16
# Leaves that one poll of a shard finds: DynamoDB gives up to 1,000 records, and each leaf is one when it waits, and another one
# when it has its place.
POLL_LEAVES = 500
# Seconds until a batch that was throttled comes again, doubled up to the longest. Assumed: AWS states none.
THROTTLED_WAIT, THROTTLED_LONGEST = BATCH_AGAIN, 16.0
# template.yaml: batches of a shard that `export` has at a time; functions/export: records of one that it copies at a time.
EXPORT_LANES, EXPORT_AT_ONCE = 10, 8
# Dollars of each, in sa-east-1.
PRICES = {"writes": cost.PRICES.million_writes / 1e6, "reads": cost.PRICES.million_reads / 1e6,
          "PutObject": cost.PRICES.million_puts / 1e6, "GetObject": cost.PRICES.million_gets / 1e6,
          "Sign": cost.PRICES.million_ecc / 1e6, "invocations": cost.PRICES.million_invocations / 1e6,
          "seconds": cost.PRICES.gigabyte_second * 1769 / 1024}


@dataclass(frozen=True)
class Settings:
    """The template's, and constants of the code."""

    lanes: int = EXPORT_LANES
    export_at_once: int = EXPORT_AT_ONCE
    batch: int = capacity.LOG_BATCH
    window: float = capacity.LOG_WINDOW
    batches_at_once: int = CONCURRENT_BATCHES
    first_wait: float = THROTTLED_WAIT
    longest_wait: float = THROTTLED_LONGEST
    # Every call takes so many times as long as assumed.
    slower: float = 1.0


@dataclass(frozen=True)
class Load:
    """Captures a second from each second on; the seconds (from, to) in which no batch of the sequencer succeeds."""

    rates: tuple
    seconds: float
    outage: tuple = (0.0, 0.0)
    seed: int = 1

    def peak(self):
        """For which tables are warmed."""
        return max(rate for _, rate in self.rates)

    def rate(self, now):
        """At a time."""
        return next(rate for begin, rate in reversed(self.rates) if begin <= now)


def width(level, index, size):
    """Of a tile in a tree of so many leaves."""
    return min(TILE, (size >> 8 * level) - index * TILE)


def files(old, size):
    """Tiles and entries that a tree has, and a smaller one has not: transparency::Tile::added."""
    found = 0
    for level in range(8):
        hashes = size >> 8 * level
        for index in range((old >> 8 * level) // TILE, -(-hashes // TILE)):
            if width(level, index, old) != width(level, index, size):
                found += 2 if level == 0 else 1
    return found


def path(index, size):
    """Hashes of a leaf's inclusion proof."""
    low, high, hashes = 0, size, 0
    while high - low > 1:
        middle = low + (1 << (high - low - 1).bit_length() - 1)
        low, high, hashes = (low, middle, hashes + 1) if index < middle else (middle, high, hashes + 1)
    return hashes


def edge(size):
    """Files from which the edge of a tree is read."""
    partial = [level for level in range(8) if (size >> 8 * level) % TILE]
    return len(partial) + (0 in partial)


def shards(calls, table, rate):
    """A shard for each partition, of a table that is warmed for twice the rate."""
    reads, writes = capacity.tables(calls, capacity.Load(rate))[table]
    new = capacity.NEW_TABLE_READS / capacity.PARTITION_READS, capacity.NEW_TABLE_WRITES / capacity.PARTITION_WRITES
    return math.ceil(round(max(*new, 2 * reads / capacity.PARTITION_READS, 2 * writes / capacity.PARTITION_WRITES), 1))


class Outcome:
    """What is observed."""

    def __init__(self):
        # Seconds from commit to export, and to inclusion, with the second of the commit.
        self.exported, self.included = [], []
        # Captures that wait for export, and for inclusion, each ten seconds.
        self.backlog = []
        self.requests, self.throttled, self.busy = Counter(), 0, 0.0

    def leaves(self):
        """That are in the log."""
        return len(self.included)

    def rate(self, begin, end):
        """Leaves a second that came into the log."""
        return sum(begin <= committed + seconds < end for committed, seconds in self.included) / (end - begin)

    def quantile(self, share):
        """Of the seconds from commit to inclusion."""
        return sorted(seconds for _, seconds in self.included)[min(int(share * self.leaves()), self.leaves() - 1)]

    def waiting(self, now):
        """Captures that were not in the log."""
        return next(waiting for at, waiting in self.backlog if at >= now)

    def most(self):
        """The largest backlog."""
        return max(waiting for _, waiting in self.backlog)

    def caught_up(self, begin, waiting):
        """Seconds from a time until no more captures wait than that; None if they do at the end."""
        return next((at - begin for at, each in self.backlog if at >= begin and each <= waiting), None)

    def cost(self):
        """Dollars for a million leaves."""
        return sum(price * self.requests[what] for what, price in PRICES.items()) / self.leaves() * 1e6


class Model:
    """Both streams and both functions."""

    def __init__(self, calls, load, settings=Settings()):
        self.load, self.settings = load, settings
        self.env, self.random = simpy.Environment(), random.Random(load.seed)
        self.outcome, self.size, self.is_running = Outcome(), TREE, False
        self.committed = 0
        self.records = [deque() for _ in range(shards(calls, "evidence", load.peak()) * settings.lanes)]
        # Times at which leaves begin to wait, and of their commits.
        self.leaves = [[] for _ in range(shards(calls, "log", load.peak()))]
        # A leaf is written once when it waits, and once with its place.
        capacity_of_table = len(self.leaves) * capacity.PARTITION_WRITES
        self.table = Bucket(capacity_of_table, capacity_of_table * PARTITION_BURST)

    # --- Calls ---

    def call(self, name, size=0):
        """The seconds of a call."""
        self.outcome.requests[name] += 1
        seconds = CALLS[name] * self.settings.slower
        return seconds * (1 - SPREAD + 2 * SPREAD * self.random.random()) + size / UPLOAD

    def calls(self, name, count, at_once):
        """The seconds of so many calls, some of them at once."""
        ends = [0.0] * min(at_once, count)
        for _ in range(count):
            heapq.heappush(ends, heapq.heappop(ends) + self.call(name))
        return max(ends, default=0.0)

    def written(self, units):
        """Seconds that writes wait for their table's throughput."""
        self.outcome.requests["writes"] += units
        waited = 0.0
        while not self.table.take(units, self.env.now + waited):
            waited += 2 * BATCH_WAIT
        return waited

    # --- Captures ---

    def captures(self):
        """A Poisson process, in steps of a poll."""
        at = 0.0
        while self.env.now < self.load.seconds:
            end = self.env.now + 1 / POLLS
            while at < end:
                self.records[int(self.random.random() * len(self.records))].append(at)
                self.committed += 1
                at -= math.log(1 - self.random.random()) / self.load.rate(self.env.now)
            yield self.env.timeout(end - self.env.now)

    # --- The export ---

    def export(self, records):
        """Copies the records of a shard, or of a part of its keys, batch after batch."""
        yield self.env.timeout(self.random.random() / POLLS)
        while True:
            batch = [records.popleft() for _ in range(min(len(records), capacity.BATCH)) if records[0] <= self.env.now]
            if not batch:
                yield self.env.timeout(1 / POLLS)
                continue
            ends = [0.0] * min(self.settings.export_at_once, len(batch))
            for committed in batch:
                # The object in the export is not of the log.
                seconds = self.call("PutObject") + self.call("PutItem") + 2 * CALL_SECONDS + self.written(1)
                self.outcome.requests["PutObject"] -= 1
                end = heapq.heappop(ends) + seconds
                heapq.heappush(ends, end)
                self.outcome.exported.append((committed, self.env.now + end - committed))
                shard = self.leaves[int(self.random.random() * len(self.leaves))]
                heapq.heappush(shard, (self.env.now + end, committed))
            yield self.env.timeout(max(ends))

    # --- The sequencer ---

    def poller(self, shard):
        """Polls a shard, and hands over batches one after the other."""
        yield self.env.timeout(self.random.random() / POLLS)
        batch, began = [], 0.0
        while True:
            began = began if batch else self.env.now
            for _ in range(min(POLL_LEAVES, self.settings.batch - len(batch))):
                if not shard or shard[0][0] > self.env.now:
                    break
                batch.append(heapq.heappop(shard)[1])
            is_full = len(batch) >= self.settings.batch
            if is_full or (batch and self.env.now - began >= self.settings.window):
                yield from self.delivered(batch)
                batch = []
            else:
                yield self.env.timeout(1 / POLLS)

    def delivered(self, batch):
        """A batch, until it succeeds."""
        wait = self.settings.first_wait
        begin, end = self.load.outage
        while self.is_running or begin <= self.env.now < end:
            self.outcome.throttled += self.is_running
            yield self.env.timeout(wait * (1 - SPREAD + 2 * SPREAD * self.random.random()))
            wait = min(2 * wait, self.settings.longest_wait)
        self.is_running = True
        seconds = self.invocation(len(batch))
        yield self.env.timeout(seconds)
        self.is_running = False
        self.outcome.busy += seconds
        self.outcome.requests["seconds"] += seconds
        self.outcome.requests["invocations"] += 1
        self.outcome.included += [(committed, self.env.now - committed) for committed in batch]

    def invocation(self, count):
        """The calls for a batch, in their order: their seconds."""
        requests, settings, size = self.outcome.requests, self.settings, self.size + count
        before = sum(requests[name] for name in CALLS)
        seconds = self.call("GetObject") + self.call("GetItem")
        seconds += self.calls("BatchGetItem", -(-count // READS), settings.batches_at_once)
        requests["reads"] += 1 + count
        seconds += self.calls("GetObject", edge(self.size), CONCURRENT_OBJECTS)
        seconds += self.call("PutObject", count * LEAF_BYTES) + self.call("Sign") + self.call("PutItem")
        seconds += self.calls("PutObject", files(self.size, size), CONCURRENT_OBJECTS)
        units = count * -(-(LEAF_ITEM + HASH * path(self.size + count // 2, size)) // 1024) + 2
        seconds += self.calls("BatchWriteItem", -(-count // WRITES), settings.batches_at_once) + self.written(units)
        seconds += self.call("GetObject") + self.call("PutObject") + self.call("UpdateItem")
        self.size = size
        asked = sum(requests[name] for name in CALLS) - before
        return seconds + count * LEAF_SECONDS + asked * CALL_SECONDS

    # --- The run ---

    def watch(self):
        """Notes how many captures wait."""
        while True:
            self.outcome.backlog.append((self.env.now, self.committed - self.outcome.leaves()))
            yield self.env.timeout(10)

    def run(self):
        """All of it; captures that wait at the end are not included."""
        self.env.process(self.captures())
        for records in self.records:
            self.env.process(self.export(records))
        for shard in self.leaves:
            self.env.process(self.poller(shard))
        self.env.process(self.watch())
        self.env.run(self.load.seconds)
        return self.outcome


def steady(rate, seconds):
    """A load that does not change."""
    return Load(((0.0, rate),), seconds)
