/** The context of a trace as it travels: in requests, in records, and over the death of a front end. */
import { expect, it } from 'vitest';
import { jobSeedSchema } from '../../src/core/job.js';
import { contextOfSpan, spanIdOf, traceContextIn } from '../../src/core/tracing.js';
import { openCall, requestAgain } from '../../src/mcp/open-call.js';
import { seedOf } from '../support/job-seeds.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;

it('a context is read from the fields that MCP names, and no other', () => {
  const meta = { traceparent, tracestate: 'a=b', baggage: 'c=d', progressToken: 1 };
  expect(traceContextIn(meta)).toEqual({ traceparent, tracestate: 'a=b', baggage: 'c=d' });
});

it.each([
  undefined,
  null,
  'text',
  {},
  { traceparent: 7 },
  { traceparent: '' },
  { traceparent: `ff-${TRACE}-00f067aa0ba902b7-01` },
  { traceparent: `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01` },
  { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` },
  { traceparent: `00-${TRACE}-00f067aa0ba902b7` },
])('what is no context is none: %j', (meta) => {
  expect(traceContextIn(meta)).toBeUndefined();
});

it('of a context of which only a part is malformed the rest counts', () => {
  expect(traceContextIn({ traceparent, tracestate: 'x'.repeat(513), baggage: 7 })).toEqual({ traceparent });
});

it('a job is read whatever its trace holds', () => {
  expect(jobSeedSchema.parse({ ...seedOf(), trace: { traceparent } }).trace).toEqual({ traceparent });
  for (const trace of ['nonsense', 7, { traceparent: 'x' }])
    expect(jobSeedSchema.parse({ ...seedOf(), trace }).trace).toBeUndefined();
});

it('the id of a span that others may end follows from its name, within the same trace', () => {
  expect(spanIdOf('run 1')).toMatch(/^[0-9a-f]{16}$/);
  expect(spanIdOf('run 1')).not.toBe(spanIdOf('run 2'));
  expect(contextOfSpan({ traceparent }, 'run 1').traceparent).toBe(`00-${TRACE}-${spanIdOf('run 1')}-01`);
});

it('a call that another front end goes on with stays in the trace of its client', () => {
  const params = { name: 'echo', arguments: {}, _meta: { traceparent, progressToken: 't' } };
  const { call } = openCall({ tools: new Map() }, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, 'owner');
  expect(requestAgain(call).params?._meta).toEqual({ traceparent, progressToken: 't' });
});
