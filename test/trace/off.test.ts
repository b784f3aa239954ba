/** Nothing of OpenTelemetry is loaded unless the standard variables ask for it, and nothing is asked for that is not offered. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NO_TRACER } from '../../src/core/tracing.js';
import { openTracer, tracingAsked } from '../../src/tracing.js';
import { loadedIn, reportingTo } from '../support/loaded.js';
import { connectClient } from '../support/sdk-clients.js';
import { openSite } from '../support/site.js';

it('no process loads any of it where nothing is configured, whatever its client says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-loaded-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const site = await openSite();
  try {
    const server = await site.http({ env: reportingTo(folder) });
    const client = await connectClient('2.x of 2026', { url: server.url }, {});
    const meta = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    await client.callTool('echo', { text: 'x' }, { meta });
    await client.close();
    await server.stop();
  } finally {
    await site.close();
  }
  const { worker, other } = await loadedIn(folder);
  expect([worker.length > 0, other.length > 0]).toEqual([true, true]);
  // That it would be seen is shown where it is loaded, in `tracing.test.ts`.
  expect([...worker, ...other].filter((name) => name.includes('opentelemetry'))).toEqual([]);
});

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

it.each([
  [{}, 'off'],
  [{ OTEL_SERVICE_NAME: 'x', OTEL_RESOURCE_ATTRIBUTES: 'a=b' }, 'off'],
  [{ OTEL_TRACES_EXPORTER: 'none', ...ENDPOINT }, 'off'],
  [{ OTEL_SDK_DISABLED: 'TRUE', ...ENDPOINT }, 'off'],
  [{ OTEL_SDK_DISABLED: 'false', ...ENDPOINT }, 'otlp'],
  [ENDPOINT, 'otlp'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, 'otlp'],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, 'otlp'],
])('%j means %s', (env, meaning) => {
  expect(tracingAsked(env)).toBe(meaning);
});

it.each([
  [{ OTEL_TRACES_EXPORTER: 'console' }, 'OTEL_TRACES_EXPORTER=console'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'the protocol grpc'],
])('%j is told to be not offered, and nothing is traced', async (env, words) => {
  const warned: string[] = [];
  const ignore = () => undefined;
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (fields: object) => void warned.push(JSON.stringify(fields)),
  };
  expect(await openTracer(env, log)).toBe(NO_TRACER);
  expect(warned.join()).toContain(words);
});
