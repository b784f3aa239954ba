/** The job queue and its consumers in memory, in BullMQ's order: pushed at one end, taken at the other, handed back to the front. */
import type { JobSeed } from '../../../src/core/job.js';
import type { Delivery, JobConsumer, JobQueue, Verdict } from '../../../src/core/ports.js';
import type { Place } from '../../../src/core/sweep.js';
import { jsonCopy, type Memory } from './memory.js';

/** What a consumer of the fake needs; the same as of the real one. */
export interface FakeConsumerOptions {
  readonly queue: string;
  readonly concurrency: number;
  readonly workerId: string;
  run(delivery: Delivery): Promise<Verdict>;
}

/** The queue with its consumers. */
export interface FakeJobQueue extends JobQueue {
  consumer(options: FakeConsumerOptions): JobConsumer;
  /** Puts a seed of any shape into a queue, as another version of the product may have done. */
  addForeign(id: string, queue: string, seed: unknown): void;
}

interface Entry {
  readonly id: string;
  readonly queue: string;
  readonly seed: unknown;
  place: 'waiting' | 'active' | 'delayed' | 'finished';
  workerId?: string | undefined;
  /** Aborts what the present holder was told. */
  held?: AbortController | undefined;
  timer?: NodeJS.Timeout | undefined;
}

interface Shelf {
  readonly entries: Map<string, Entry>;
  /** Ids in turn, the next to be taken first. */
  readonly turns: string[];
  readonly changed: Set<() => void>;
}

/** Builds the queue; `memory` only lends it the connection that a test can cut. */
export function createFakeJobQueue(memory: Memory): FakeJobQueue {
  const shelf: Shelf = { entries: new Map(), turns: [], changed: new Set() };
  const inQueue = (queue: string) => [...shelf.entries.values()].filter((entry) => entry.queue === queue);
  const turnsIn = (queue: string): Map<string, number> => {
    const waiting = shelf.turns.filter((other) => shelf.entries.get(other)?.queue === queue);
    return new Map(waiting.map((id, index) => [id, index + 1]));
  };
  const put = (id: string, queue: string, seed: unknown) => {
    if (shelf.entries.has(id)) return;
    const entry: Entry = { id, queue, seed: jsonCopy(seed), place: 'waiting' };
    shelf.entries.set(id, entry);
    queueUp(shelf, entry, 'last');
  };
  return {
    async add(seed: JobSeed) {
      await memory.reach();
      put(seed.id, seed.queue, seed);
    },
    addForeign: put,
    async remove(id) {
      await memory.reach();
      const entry = shelf.entries.get(id);
      if (!entry || entry.place === 'active') return false;
      takeOut(shelf, entry);
      return shelf.entries.delete(id);
    },
    async promote(id) {
      await memory.reach();
      const entry = shelf.entries.get(id);
      return entry !== undefined && wakeUp(shelf, entry);
    },
    async position(id, queue) {
      await memory.reach();
      return turnsIn(queue).get(id);
    },
    async positions(ids, queue) {
      await memory.reach();
      const turns = turnsIn(queue);
      return new Map(
        ids.flatMap((id) => {
          const turn = turns.get(id);
          return turn === undefined ? [] : [[id, turn] as const];
        }),
      );
    },
    async counts(queue) {
      await memory.reach();
      const count = (place: Entry['place']) => inQueue(queue).filter((entry) => entry.place === place).length;
      return { waiting: count('waiting'), active: count('active'), delayed: count('delayed') };
    },
    async places(ids, queue) {
      await memory.reach();
      const placeOf = (id: string): Place => {
        const entry = inQueue(queue).find((one) => one.id === id);
        if (!entry) return { kind: 'missing' };
        if (entry.place === 'active') return { kind: 'active', isLocked: true, holder: entry.workerId };
        return { kind: entry.place === 'finished' ? 'ended' : entry.place };
      };
      return new Map(ids.map((id) => [id, placeOf(id)]));
    },
    async handBack(workerId, queue, letGo = () => true) {
      await memory.reach();
      const isHeld = (entry: Entry) => entry.place === 'active' && entry.workerId === workerId;
      const orphans: Entry[] = [];
      for (const orphan of inQueue(queue).filter(isHeld)) {
        // Somebody else may have been at it meanwhile.
        if (!(await letGo(orphan.id)) || !isHeld(orphan)) continue;
        orphan.held?.abort();
        queueUp(shelf, orphan, 'next');
        orphans.push(orphan);
      }
      return orphans.map((orphan) => orphan.id);
    },
    consumer: (options) => createFakeConsumer(shelf, options),
  };
}

function createFakeConsumer(shelf: Shelf, options: FakeConsumerOptions): JobConsumer {
  const running = new Set<Promise<void>>();
  let taking = false;
  const pump = () => {
    while (taking && running.size < options.concurrency) {
      const next = shelf.turns.find((id) => shelf.entries.get(id)?.queue === options.queue);
      const entry = next === undefined ? undefined : shelf.entries.get(next);
      if (!entry) return;
      const run = runEntry(shelf, entry, options).finally(() => {
        running.delete(run);
        pump();
      });
      running.add(run);
    }
  };
  const quiet = async () => {
    taking = false;
    shelf.changed.delete(pump);
  };
  return {
    name: `fake consumer of ${options.queue}`,
    async start() {
      taking = true;
      shelf.changed.add(pump);
      pump();
    },
    quiet,
    async stop(deadlineMs) {
      await quiet();
      const late = new Promise<void>((resolve) => setTimeout(resolve, deadlineMs).unref());
      await Promise.race([Promise.all(running), late]);
    },
  };
}

async function runEntry(shelf: Shelf, entry: Entry, options: FakeConsumerOptions): Promise<void> {
  const held = new AbortController();
  takeOut(shelf, entry);
  entry.place = 'active';
  entry.workerId = options.workerId;
  entry.held = held;
  const verdict = await options.run({ id: entry.id, seed: jsonCopy(entry.seed), lost: held.signal });
  // Whoever lost the job has no say in what becomes of it.
  if (held.signal.aborted) return;
  follow(shelf, entry, verdict);
  // What it waits for may have come before it lay where a promotion finds it.
  if (verdict.kind === 'park' && (await verdict.isReady())) wakeUp(shelf, entry);
}

function follow(shelf: Shelf, entry: Entry, verdict: Verdict): void {
  switch (verdict.kind) {
    case 'done':
    case 'failed':
      entry.place = 'finished';
      return;
    case 'hand_back':
      queueUp(shelf, entry, 'next');
      return;
    case 'delay':
    case 'park':
      entry.place = 'delayed';
      entry.timer = setTimeout(() => queueUp(shelf, entry, 'last'), Math.max(0, verdict.untilMs - Date.now()));
      entry.timer.unref();
      return;
    default:
      verdict satisfies never;
  }
}

function wakeUp(shelf: Shelf, entry: Entry): boolean {
  if (entry.place !== 'delayed') return false;
  takeOut(shelf, entry);
  queueUp(shelf, entry, 'last');
  return true;
}

function queueUp(shelf: Shelf, entry: Entry, where: 'next' | 'last'): void {
  entry.place = 'waiting';
  entry.workerId = undefined;
  entry.held = undefined;
  if (where === 'next') shelf.turns.unshift(entry.id);
  else shelf.turns.push(entry.id);
  for (const tell of shelf.changed) tell();
}

function takeOut(shelf: Shelf, entry: Entry): void {
  clearTimeout(entry.timer);
  const turn = shelf.turns.indexOf(entry.id);
  if (turn >= 0) shelf.turns.splice(turn, 1);
}
