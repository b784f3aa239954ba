import { expect, it } from 'vitest';
import type { JobReport } from '../../src/cli/ports.js';
import { detailJson, renderDetail } from '../../src/cli/render-jobs.js';
import type { Input, InputKind } from '../../src/core/input.js';
import type { JobRecord } from '../../src/core/job.js';
import { seedOf } from '../support/job-seeds.js';

const DEADLINE = 60_000;
const asked = (key: string, kind: InputKind): Input => ({
  question: { key, kind, request: { secret: 'the code' }, fingerprint: 'f', deadlineMs: DEADLINE },
});
const parked = (more: Partial<JobRecord> = {}): JobRecord => ({
  seed: seedOf({ principal: 'ann', session: 's1', createdAtMs: 0, args: {} }),
  state: 'parked',
  attempt: 2,
  crashes: 1,
  faults: [{ attempt: 1, atMs: 5, error: { code: 'timed_out', message: 'too slow', retryable: true } }],
  progress: { progress: 3, total: 10, message: 'asking' },
  awaits: 'client',
  ...more,
});

it('a parked job is shown with its questions and whom each waits for, without what was asked', () => {
  const inputs = [
    { ...asked('p1', 'sampling'), reply: { kind: 'declined' } } as const,
    asked('p2', 'elicitation'),
    asked('p3', 'submission'),
    asked('p4', 'part'),
  ];
  const report: JobReport = { record: parked(), inputs };
  expect(detailJson(report).questions).toEqual([
    { key: 'p1', kind: 'sampling', asked_of: 'the client of ann, session s1', reply: 'declined' },
    ...[
      ['p2', 'elicitation', 'the client of ann, session s1'],
      ['p3', 'submission', 'ann, by submit_review'],
      ['p4', 'part', 'a part of the job'],
    ].map(([key, kind, asked_of]) => ({ key, kind, asked_of, answer_by: '1970-01-01T00:01:00.000Z' })),
  ]);
  const text = renderDetail(report, false);
  expect(text).toContain('  p1 (sampling) of the client of ann, session s1: declined');
  expect(text).toContain(
    '  p2 (elicitation) of the client of ann, session s1: open, to be answered by 1970-01-01T00:01',
  );
  expect(text).not.toContain('the code');
});

it('a job is shown with its state, phase, owner, attempts and what it repeats', () => {
  const { seed } = parked();
  const record = parked({ seed: { ...seed, retryOf: seed.id }, workerId: 'w1' });
  const text = renderDetail({ record }, false);
  for (const line of [/^State +parked$/m, /^Waits for +client$/m, /^Owner +ann$/m, /^Attempt +2$/m, /^Worker +w1$/m]) {
    expect(text).toMatch(line);
  }
  expect(text).toMatch(/^Progress +.*"message":"asking"/m);
  expect(text).toMatch(new RegExp(`^Retry of +${seed.id}$`, 'm'));
  expect(text).toContain('  attempt 1, 1970-01-01T00:00:00.005Z: timed_out: too slow');
});

it('nothing that a job was given, said or gave steers the terminal', () => {
  const steering = '\u001b]0;title\u0007\u009b31m\rover';
  const error = { code: 'handler_failed', message: steering, retryable: false } as const;
  const { seed } = parked();
  const record = parked({ seed: { ...seed, args: { steering } }, faults: [{ attempt: 1, atMs: 5, error }] });
  const reports: JobReport[] = [
    { record, outcome: { state: 'failed', error } },
    { record, outcome: { state: 'completed', result: { steering } } },
    { record, outcome: { state: 'cancelled', reason: steering } },
    { record, handedOver: { deadlineMs: DEADLINE, preliminary: { steering } } },
  ];
  for (const report of reports) {
    const text = renderDetail(report, false).replaceAll('\n', '');
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(text).toContain('title');
  }
});
