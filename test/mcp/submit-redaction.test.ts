/** Secrets in what is submitted: none is stored, and nothing is if they cannot be looked for. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import type { Redactor } from '../../src/core/redaction.js';
import type { ToolCall } from '../../src/mcp/call.js';
import { takeReview } from '../../src/mcp/submit-review.js';
import { setup } from '../jobs/setup.js';
import { until } from '../support/gate.js';
import { completed } from '../support/job-seeds.js';

/** A job of alice that is handed over, and a call of hers that submits to it. */
async function handedOver(redact: Redactor['redact']) {
  const { core, jobs, contract, submit, begin } = setup();
  const id = await submit();
  await begin(id);
  const request = { output: { word: 'preliminary' } };
  const question = {
    key: 'h',
    kind: 'submission',
    request,
    fingerprint: 'f',
    deadlineMs: Date.now() + 60_000,
  } as const;
  await core.mailbox.ask(id, 'r1', [{ ...question, timeoutMs: 60_000 }]);
  await core.store.leave(id, 'r1', 'parked');
  const frontEnd = { jobs: async () => jobs, tools: new Map([['echo', contract]]), redactor: { redact } };
  const args = { job_id: id, findings: [{ quote: 'a secret' }], summary: 'the secret' };
  const mcpReq = { signal: new AbortController().signal, requestState: () => undefined, notify: async () => undefined };
  const connection = { principal: 'alice', initialized: true, cancelReason: () => undefined };
  const era = { kind: 'modern', capabilities: {}, logLevel: undefined };
  const call = { frontEnd, connection, ctx: { mcpReq } as unknown as ServerContext, era, name: 'submit_review', args };
  const reply = async () => (await core.mailbox.read(id))[0]?.reply;
  return { id, core, reply, call: call as unknown as ToolCall };
}

it('what is stored is without secrets', async () => {
  const { id, core, reply, call } = await handedOver(async (text) => ({
    text: text.replaceAll('secret', '[REDACTED]'),
    found: [],
  }));
  const result = takeReview(call);
  const stored = await until(reply, (seen) => seen !== undefined, { what: 'the submission' });
  expect(stored).toEqual({
    kind: 'answered',
    value: { findings: [{ quote: 'a [REDACTED]' }], summary: 'the [REDACTED]' },
  });
  await core.store.end(id, completed());
  expect(await result).toMatchObject({ structuredContent: { word: 'done' } });
});

it('nothing is stored when they could not be looked for in time', async () => {
  const failed = new AppError('redaction_failed', 'too long');
  const { reply, call } = await handedOver(() => Promise.reject(failed));
  await expect(takeReview(call)).rejects.toBe(failed);
  expect(await reply()).toBeUndefined();
});
