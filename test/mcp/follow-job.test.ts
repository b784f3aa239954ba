/** A call that follows its job over fakes, where the wire is too slow or too quick for a test to hit the moment. */
import { expect, it } from 'vitest';
import type { JobId } from '../../src/core/ids.js';
import type { Question } from '../../src/core/input.js';
import { NO_TRACER } from '../../src/core/tracing.js';
import type { Attachment } from '../../src/mcp/call.js';
import { followJob } from '../../src/mcp/follow-job.js';
import { clientsReason } from '../../src/mcp/guard.js';
import { takeMark } from '../../src/mcp/marks.js';
import { type Setup, setup } from '../jobs/setup.js';
import { until } from '../support/gate.js';

const SPAN = NO_TRACER.start('call', { kind: 'server' });

it('a cancel that comes while the queue is away is carried out when it is back', async () => {
  const { core, jobs, contract, submit } = setup();
  const id = await submit();
  const client = new AbortController();
  const ctx = { mcpReq: { signal: client.signal } };
  const connection = { principal: 'alice', cancelReason: clientsReason };
  const call = { ctx, connection, era: { kind: 'legacy' }, name: 'echo', span: SPAN };
  const attachment = { call, contract, jobs, id, input: {}, existing: false, cancels: true } as unknown as Attachment;
  const following = followJob(attachment);
  await until(
    () => core.memory.listeners.size,
    (size) => size === 1,
    { what: 'a listener' },
  );
  const { get } = core.store;
  let refused = 0;
  core.store.get = async (...args) =>
    get(...args).catch((error: unknown) => {
      refused += 1;
      throw error;
    });
  core.memory.connection('refusing');
  client.abort('changed my mind');
  await until(
    () => refused,
    (times) => times > 0,
    { what: 'a refused cancel' },
  );
  core.memory.connection('up');
  expect(await following).toMatchObject({ isError: true });
  expect(await core.store.outcome(id)).toEqual({ state: 'cancelled', reason: 'changed my mind' });
});

/** A job of alice that told of its progress and was handed over in the same moment. */
async function handedOver({ core, submit, begin }: Setup): Promise<JobId> {
  const id = await submit();
  await begin(id);
  await core.log.append(
    id,
    'r1',
    [1, 2].map((progress) => ({ type: 'progress', progress })),
  );
  const request = { output: { text: 'preliminary' } };
  const question: Question = {
    key: 'h',
    kind: 'submission',
    request,
    fingerprint: 'h',
    deadlineMs: Date.now() + 60_000,
  };
  await core.mailbox.ask(id, 'r1', [question]);
  await core.store.leave(id, 'r1', 'parked');
  return id;
}

it('whoever goes on with a call from any event it was told of comes by what ends the call', async () => {
  const at = setup();
  const id = await handedOver(at);
  const follow = async (cursor?: string) => {
    const places: (string | undefined)[] = [];
    const notify = async (message: { method: string; params: Record<string, unknown> }) => {
      places.push(takeMark({ jsonrpc: '2.0', ...message }).mark.cursor);
    };
    const signal = AbortSignal.timeout(10_000);
    const ctx = { mcpReq: { signal, notify, _meta: { progressToken: 't' } } };
    const connection = { principal: 'alice', cancelReason: clientsReason, calls: {} };
    const call = {
      ctx,
      connection,
      era: { kind: 'modern', capabilities: {} },
      name: 'echo',
      span: SPAN,
      frontEnd: { tools: new Map() },
    };
    const { contract, jobs } = at;
    const attachment = { call, contract, jobs, id, input: {}, existing: true, cancels: true } as unknown as Attachment;
    return { result: await followJob(attachment, cursor), places };
  };
  const first = await follow();
  expect(first.result).toMatchObject({ structuredContent: { text: 'preliminary' } });
  expect(first.places).toHaveLength(2);
  for (const place of first.places)
    expect((await follow(place)).result).toMatchObject({ structuredContent: { text: 'preliminary' } });
}, 30_000);
