/** What a 2026-07-28 client carries between rounds: for how long, for whom and for what its state is good, and its replies. */
import { randomBytes } from 'node:crypto';
import type { ServerContext } from '@modelcontextprotocol/server';
import { afterEach, expect, it, vi } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import { type JobId, newJobId } from '../../src/core/ids.js';
import type { Jobs } from '../../src/jobs/jobs.js';
import type { ToolCall } from '../../src/mcp/call.js';
import { askInRound, resumePoint, storeReplies } from '../../src/mcp/round-trip.js';

const HOUR_MS = 3_600_000;
const id = newJobId();

afterEach(() => {
  vi.useRealTimers();
});

/** Calls of one installation; only what the state is made of and bound to is there. */
function setup() {
  const secret = randomBytes(32).toString('hex');
  const question = { key: 'a', kind: 'sampling', request: {}, fingerprint: 'f', deadlineMs: Date.now() + HOUR_MS };
  const jobs = { inputs: async () => [{ question }] } as unknown as Jobs;
  const callOf = (state: unknown, differing: { principal?: string; name?: string; args?: object } = {}) => {
    const { principal = 'alice', name = 'asking', args = { n: 1 } } = differing;
    const ctx = { mcpReq: { requestState: () => state } } as unknown as ServerContext;
    const era = { kind: 'modern', capabilities: { sampling: {} } };
    const frontEnd = { secret: async () => secret };
    return { ctx, era, frontEnd, name, args, connection: { principal } } as unknown as ToolCall;
  };
  return {
    mint: async () => (await askInRound(callOf(undefined), jobs, { id, cursor: '7-0' }))?.requestState,
    resume: (state: unknown, differing?: Parameters<typeof callOf>[1]): Promise<{ id: JobId } | undefined> =>
      resumePoint(callOf(state, differing)),
  };
}

it('138 · is good for its call, and for it alone', async () => {
  const { mint, resume } = setup();
  const state = await mint();
  expect(await resume(state)).toEqual({ id, cursor: '7-0' });
  expect(await resume(undefined)).toBeUndefined();
  for (const differing of [{ principal: 'mallory' }, { name: 'echo' }, { args: { n: 2 } }, { args: {} }]) {
    await expect(resume(state, differing)).rejects.toMatchObject({ code: -32602 });
  }
  await expect(setup().resume(state)).rejects.toMatchObject({ code: -32602 });
});

it('138 · is not called invalid while the secret that would tell is out of reach', async () => {
  const away = new AppError('queue_unavailable', 'away');
  const mcpReq = { requestState: () => 'sealed' };
  const call = { ctx: { mcpReq }, connection: {}, args: {}, frontEnd: { secret: () => Promise.reject(away) } };
  await expect(resumePoint(call as unknown as ToolCall)).rejects.toBe(away);
});

it('138 · is good for a day, which is as long as a question may be open, and no longer', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { mint, resume } = setup();
  const state = await mint();
  vi.setSystemTime(Date.now() + 23 * HOUR_MS);
  expect(await resume(state)).toMatchObject({ id });
  vi.setSystemTime(Date.now() + HOUR_MS + 1_000);
  await expect(resume(state)).rejects.toMatchObject({ code: -32602 });
});

it('a reply that is there already is not replaced, but its job is woken once more', async () => {
  const answers: unknown[] = [];
  const stored = { kind: 'answered', value: { content: [] } };
  const inputOf = (key: string) => ({
    question: { key, kind: 'sampling', request: {}, fingerprint: 'f', deadlineMs: 1 },
  });
  const jobs = {
    inputs: async () => [{ ...inputOf('a'), reply: stored }, inputOf('constructor')],
    answer: async (...args: unknown[]) => answers.push(args),
  } as unknown as Jobs;
  const mcpReq = { inputResponses: { a: { content: { type: 'text', text: 'again' } } } };
  await storeReplies({ ctx: { mcpReq } } as unknown as ToolCall, jobs, id);
  expect(answers).toEqual([[id, 'a', stored]]);
});
