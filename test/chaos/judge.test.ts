/** The judge of a chaos run finds each thing that may go wrong, and nothing in a job that went well. */
import { describe, expect, it } from 'vitest';
import type { JobEvent } from '../../src/core/events.js';
import type { JobRecord } from '../../src/core/job.js';
import { seedOf } from '../support/job-seeds.js';
import type { JobEvidence, LedgerLine } from './runner/evidence.js';
import type { Fault } from './runner/faults.js';
import { judgeJob, judgeRemains, variantOf } from './runner/judge.js';
import { judgeProbes } from './runner/outage.js';
import type { PlannedJob } from './runner/plan.js';
import {
  createWitness,
  noteOutcome,
  openStream,
  outcomeOfCall,
  type SeenOutcome,
  type Witness,
} from './runner/witness.js';

const JOB: PlannedJob = { key: 'chaos-0001', kind: 'questions', variant: 0, era: '2025', thinkMs: 0 };
const DONE: SeenOutcome = { state: 'completed', text: '{"text":"done"}' };
const ASKED = JSON.stringify(['sampling/createMessage', { text: '[[chaos-0001]] question 0 0' }]);
const EVENTS: readonly JobEvent[] = [
  { type: 'state', state: 'active', attempt: 1 },
  { type: 'log', level: 'info', logger: 'chaos_quiz', data: { step: 1 } },
  { type: 'progress', progress: 1 },
  { type: 'question', key: 'q 0 0' },
  { type: 'answer', key: 'q 0 0' },
  { type: 'log', level: 'info', logger: 'chaos_quiz', data: { step: 2 } },
  { type: 'progress', progress: 2 },
  { type: 'outcome', state: 'completed' },
];

interface Scene {
  events: JobEvent[];
  record: JobRecord;
  ledger: LedgerLine[];
  faults: Fault[];
  witness: Witness;
}

const effect = (step: number, atMs = step * 10): LedgerLine => {
  return { atMs, pid: 1, job: 'job', key: JOB.key, what: 'effect', attempt: 1, step };
};

/** A job that went well, as everybody saw it; event `n` is at `n` seconds. */
function scene(change: (scene: Scene) => void = () => undefined): Scene {
  const seed = seedOf({});
  const witness = createWitness(JOB);
  witness.jobId = seed.id;
  const stream = openStream(witness);
  stream.logs.push({ step: 1 }, { step: 2 });
  stream.whole = true;
  witness.questions.push({ atMs: 3_500, asked: ASKED });
  noteOutcome(witness, DONE, 'the call');
  const record: JobRecord = { seed, state: 'completed', attempt: 1, crashes: 0, faults: [] };
  const end: LedgerLine = { ...effect(2), what: 'end' };
  const made = { events: [...EVENTS], record, ledger: [effect(1), effect(2), end], faults: [], witness };
  change(made);
  return made;
}

function judge({ events, record, ledger, faults, witness }: Scene): string[] {
  const stored = events.map((event, index) => ({ cursor: `${index}-0`, atMs: index * 1_000, event }));
  const found: JobEvidence = { record, events: stored };
  const evidence = { jobs: new Map([[record.seed.id as string, found]]), ledger, leaked: [], queued: [] };
  return judgeJob(witness, { calm: new Map([[variantOf({ job: JOB }), DONE]]), evidence, faults });
}

const WRONGS: readonly (readonly [string, (scene: Scene) => void, RegExp])[] = [
  ['has not ended', ({ witness }) => Reflect.deleteProperty(witness, 'outcome'), /LOST/],
  ['ended twice', ({ events }) => events.push({ type: 'outcome', state: 'completed' }), /has 2 outcomes/],
  ['went on after its outcome', ({ events }) => events.push({ type: 'progress', progress: 3 }), /its log ends in/],
  [
    'is told otherwise later',
    ({ witness }) => noteOutcome(witness, { state: 'cancelled' }, 'get_job'),
    /but get_job says/,
  ],
  [
    'has another record',
    (made) => {
      made.record = { ...made.record, state: 'failed' };
    },
    /its record says failed/,
  ],
  [
    'came to something else',
    ({ witness }) => {
      witness.outcome = { ...DONE, text: '{"text":"other"}' };
    },
    /instead of/,
  ],
  [
    'was cancelled by nobody',
    (made) => {
      made.witness.outcome = { state: 'cancelled' };
      made.record = { ...made.record, state: 'cancelled' };
      made.events[7] = { type: 'outcome', state: 'cancelled' };
    },
    /cancelled by nobody/,
  ],
  ['fell back', ({ events }) => events.splice(6, 1, { type: 'progress', progress: 1 }), /has progress 1 after/],
  ['left a gap on a stream', ({ witness }) => witness.streams[0]?.logs.splice(0, 1), /a stream from message 0/],
  ['repeated a message', ({ witness }) => witness.streams[0]?.logs.push({ step: 2 }), /a stream from message 0/],
  ['asked again', ({ witness }) => witness.questions.push({ atMs: 6_100, asked: ASKED }), /2100 ms after its answer/],
  ['repeated an effect', ({ ledger }) => ledger.push(effect(1)), /1 effects were repeated in 0 crashes/],
  ['ran twice', ({ ledger }) => ledger.push({ ...effect(2), job: 'other' }), /ran as 2 jobs/],
  ['did not come to its end', ({ ledger }) => ledger.splice(2, 1), /without coming to its end/],
  [
    'worked on after its cancel',
    (made) => {
      made.witness.cancelled = { atMs: 100, state: 'cancelled' };
      made.ledger.push(effect(3, 9_000));
    },
    /effect 8900 ms after its cancel/,
  ],
  [
    'lost a stream while Redis was there',
    ({ witness }) => witness.lostStreams.push({ fromMs: 100, toMs: 200, events: 1 }),
    /nobody knew its stream after 1 events, though Redis had not been away/,
  ],
  [
    'lost a stream on which it was heard of',
    ({ witness, faults }) => {
      faults.push({ kind: 'Redis killed', pids: [3], fromMs: 50, toMs: 150 });
      witness.lostStreams.push({ fromMs: 100, toMs: 200, events: 2 });
    },
    /nobody knew its stream after 2 events/,
  ],
  [
    'was told to be lost by whom had it all the time',
    ({ witness }) =>
      outcomeOfCall(witness, { result: { isError: true, _meta: { 'longhaul/error': { code: 'call_lost' } } } }),
    /no other front end had had it/,
  ],
  [
    'missed what was told after it was submitted',
    ({ witness }) => {
      openStream(witness, 'unknown').logs.push({ step: 3 });
    },
    /a stream from message unknown on/,
  ],
];

describe('a job', () => {
  it('that went well is found to be so', () => {
    expect(judge(scene())).toEqual([]);
  });

  it.each(WRONGS)('that %s is reported', (_what, change, reported) => {
    expect(judge(scene(change)).join('\n')).toMatch(reported);
  });

  it('may repeat an effect in a crash, ask again within a stop, and work on while its process was stopped', () => {
    const made = scene(({ witness, ledger, faults }) => {
      ledger.push(effect(1));
      faults.push({ kind: 'front end stopped', pids: [2], fromMs: 4_000, toMs: 7_000 });
      witness.questions.push({ atMs: 7_100, asked: ASKED });
    });
    made.record = { ...made.record, crashes: 1 };
    expect(judge(made)).toEqual([]);
  });
});

it('a call while Redis is down has to say so, and within a second of what its front end takes for anything', () => {
  const prompt = { tookMs: 900, aliveMs: 5, code: 'queue_unavailable' };
  expect(judgeProbes([prompt, { ...prompt, tookMs: 2_900, aliveMs: 2_000 }])).toEqual([]);
  expect(judgeProbes([{ ...prompt, tookMs: 1_100 }])).toEqual([expect.stringContaining('took 1100 ms')]);
  expect(judgeProbes([{ ...prompt, code: 'job_not_found' }])).toEqual([expect.stringContaining('with job_not_found')]);
});

it('what is left over is reported: a job without an end, one that nobody called, a key, an entry in the queue', () => {
  const { record, witness } = scene();
  const open: JobRecord = { ...record, state: 'active' };
  const evidence = {
    jobs: new Map([['job', { record: open, events: [] }]]),
    ledger: [],
    leaked: ['{chaos}:left'],
    queued: ['job'],
  };
  expect(judgeRemains(evidence, [witness])).toEqual([
    expect.stringContaining('is left active'),
    expect.stringContaining('called for by nobody'),
    'job is left in the queue',
    'the key {chaos}:left would stay for ever',
  ]);
});
