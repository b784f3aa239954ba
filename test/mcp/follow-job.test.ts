/** A call that follows its job over fakes, where the wire is too slow or too quick for a test to hit the moment. */
import { expect, it } from 'vitest';
import type { Attachment } from '../../src/mcp/call.js';
import { followJob } from '../../src/mcp/follow-job.js';
import { clientsReason } from '../../src/mcp/guard.js';
import { setup } from '../jobs/setup.js';
import { until } from '../support/gate.js';

it('a cancel that comes while the queue is away is carried out when it is back', async () => {
  const { core, jobs, contract, submit } = setup();
  const id = await submit();
  const client = new AbortController();
  const ctx = { mcpReq: { signal: client.signal } };
  const connection = { principal: 'alice', cancelReason: clientsReason };
  const call = { ctx, connection, era: { kind: 'legacy' }, name: 'echo' };
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
