/** Every write that a run makes, refused once the job is another run's, or nobody's after its worker was given up. */
import { describe, expect, it } from 'vitest';
import { asJson } from '../../src/core/json.js';
import { deliverPart } from '../../src/jobs/parts.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';

const OLD = 'old';
const SHARE = { from: 0, to: 10, total: 10, outOf: 10, before: '', after: '' };
const REPLY = { kind: 'answered', value: 'x' } as const;
const ASKED = {
  key: 'a',
  kind: 'elicitation',
  request: {},
  fingerprint: 'f',
  deadlineMs: Date.now() + 60_000,
} as const;
const PART_ASKED = { ...ASKED, key: 'g/0', kind: 'part' } as const;
const SLICE = { name: 'files', columns: ['path'], slice: 0, rows: [['a.c']] };
const RESERVATION = { session: 's', run: OLD, tokens: 10, limit: 100 };

/** A job with a part of it that the run `old` of worker `w1` has begun, and all that could be changed by it. */
async function setup(core: Core) {
  const owner = seedOf({ session: 's' });
  await core.store.create(owner);
  await core.store.begin(owner, { workerId: 'w0', run: 'owner' });
  await core.mailbox.ask(owner.id, 'owner', [PART_ASKED]);
  await core.store.leave(owner.id, 'owner', 'parked');
  const partOf = { id: owner.id, key: 'g/0', group: 'g', share: SHARE };
  const seed = seedOf({ session: 's', partOf });
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run: OLD });
  await core.ledger.reserve({ ...RESERVATION, id: seed.id, key: 'held' });
  return { owner, partOf, seed };
}

type Setup = Awaited<ReturnType<typeof setup>>;

/** Everything that a run writes, as the worker does it; the answer is that of the port. */
const WRITES: Readonly<Record<string, (core: Core, at: Setup) => Promise<unknown>>> = {
  progress: ({ log }, { seed }) => log.append(seed.id, OLD, [{ type: 'progress', progress: 5 }]),
  'progress of its job': ({ log }, { seed, partOf }) =>
    log.appendForPart(seed.id, OLD, partOf, [{ type: 'progress', progress: 5 }]),
  'a journaled step': ({ journal }, { seed }) => journal.write(seed.id, OLD, 'step', 1),
  'a table': ({ tables }, { seed }) => tables.write(seed.id, OLD, SLICE),
  'a table of its job': ({ tables }, { seed, partOf }) => tables.write(seed.id, OLD, SLICE, partOf),
  'a question': ({ mailbox }, { seed }) => mailbox.ask(seed.id, OLD, [ASKED]),
  'a question with its reply': ({ mailbox }, { seed }) =>
    mailbox.decide(seed.id, OLD, { question: ASKED, reply: REPLY }),
  'a reservation': ({ ledger }, { seed }) => ledger.reserve({ ...RESERVATION, id: seed.id, key: 'more' }),
  'a settlement': ({ ledger }, { seed }) => ledger.settle('s', { id: seed.id, run: OLD }, new Map([['held', 7]])),
  'a claim on a folder': ({ folders }, { seed }) => folders.claim(seed.id, OLD, '/srv/code'),
  'that it parks': ({ store }, { seed }) => store.leave(seed.id, OLD, 'parked'),
  'that it is tried again': ({ store }, { seed }) => store.leave(seed.id, OLD, 'delayed'),
  'that it is handed back': ({ store }, { seed }) => store.leave(seed.id, OLD, 'waiting'),
  'the outcome of a part for its job': (core, { seed, partOf }) =>
    deliverPart(core, partOf, completed(), { id: seed.id, run: OLD }),
  'its outcome': ({ store }, { seed }) => store.end(seed.id, completed(), OLD),
};

/** How a run loses its job. */
const LOSSES: Readonly<Record<string, (core: Core, at: Setup) => Promise<unknown>>> = {
  'another run': ({ store }, { seed }) => store.begin(seed, { workerId: 'w2', run: 'new' }),
  'nobody, since its worker was given up': ({ store }, { seed }) => store.revoke(seed.id, 'w1'),
};

/** All that is stored of the job and of the one it is a part of. */
async function stored(core: Core, { seed, owner }: Setup) {
  const of = async ({ id }: typeof seed) => ({
    record: asJson((await core.store.get(id)) ?? {}),
    outcome: await core.store.outcome(id),
    events: await core.log.read(id, '0-0', 100),
    steps: [...(await core.journal.read(id))],
    inputs: await core.mailbox.read(id),
    tables: await core.tables.sections(id),
  });
  // What is still free of the session's budget tells what was reserved and settled.
  const probe = seedOf({ session: 's' });
  await core.store.create(probe);
  await core.store.begin(probe, { workerId: 'w3', run: OLD });
  const { kind, used } = await core.ledger.reserve({ ...RESERVATION, id: probe.id, key: 'probe', tokens: 90 });
  await core.store.end(probe.id, completed());
  return { part: await of(seed), owner: await of(owner), budget: { kind, used } };
}

describe.each(PLACES)('on $name a job that belongs to', (place) => {
  const core = useCore(place);
  const cases = Object.keys(LOSSES).flatMap((loss) => Object.keys(WRITES).map((write) => [loss, write] as const));

  it.each(cases)('%s takes no word of the run that lost it: not %s', async (loss, write) => {
    const at = await setup(core());
    await LOSSES[loss]?.(core(), at);
    const before = await stored(core(), at);
    const answer = await WRITES[write]?.(core(), at);
    expect(await stored(core(), at)).toEqual(before);
    if (answer !== undefined) expect(JSON.stringify(answer)).toContain('superseded');
  });

  it.each(Object.keys(WRITES))('a run takes all its words: %s', async (write) => {
    const at = await setup(core());
    const before = write === 'a claim on a folder' ? undefined : await stored(core(), at);
    const answer = await WRITES[write]?.(core(), at);
    expect(JSON.stringify(answer ?? 'written')).toMatch(/written|reserved|held|ended/);
    if (before) expect(await stored(core(), at)).not.toEqual(before);
  });
});
