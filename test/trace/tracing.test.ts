/** One trace from a client's call to its result, through every process that had a hand in it, as a collector receives it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/gate.js';
import { loadedIn, reportingTo } from '../support/loaded.js';
import { type Collector, type SentSpan, startCollector, unconnected } from '../support/otlp-collector.js';
import { workersOf } from '../support/processes.js';
import { type ClientLine, connectClient, type Offers } from '../support/sdk-clients.js';
import { type HttpServer, type LogLine, openSite, type Site, type SiteProcess } from '../support/site.js';

const FAN = ['--tools', fileURLToPath(new URL('../support/fan-tools.mjs', import.meta.url))];
const TOKEN = 'a-token-of-the-collector';

let collector: Collector;
let loaded: string;
let site: Site;
let server: HttpServer;
let workers: readonly SiteProcess[];
beforeAll(async () => {
  collector = await startCollector();
  site = await openSite();
  loaded = await mkdtemp(join(tmpdir(), 'longhaul-loaded-'));
  const env = { ...collector.env, ...reportingTo(loaded), OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${TOKEN}` };
  server = await site.http({ workers: 0, args: FAN, env });
  // One slot each, so that two jobs run in two processes.
  const slots = {
    ...env,
    LONGHAUL_CONCURRENCY: 'analysis=1,review=1',
    OTEL_RESOURCE_ATTRIBUTES: 'team=blue',
  };
  workers = await Promise.all([site.worker({ args: FAN, env: slots }), site.worker({ args: FAN, env: slots })]);
});
afterAll(async () => {
  await site.close();
  await collector.close();
  await rm(loaded, { recursive: true, force: true });
});

/** A client's trace, anew for each test. */
let traceId: string;
let clientSpan: string;
let meta: { traceparent: string };
beforeEach(() => {
  traceId = randomBytes(16).toString('hex');
  clientSpan = randomBytes(8).toString('hex');
  meta = { traceparent: `00-${traceId}-${clientSpan}-01` };
});

const client = async (line: ClientLine, offers: Offers = {}) => {
  const connected = await connectClient(line, { url: server.url }, offers);
  onTestFinished(() => connected.close());
  return connected;
};
const named = (spans: readonly SentSpan[], name: string) => spans.filter((span) => span.name === name);
const results = (spans: readonly SentSpan[]) =>
  spans
    .filter(({ name }) => name.startsWith('process'))
    .sort((a, b) => a.startMs - b.startMs)
    .map(({ attributes }) => attributes['longhaul.run.result']);
const processesOf = (spans: readonly SentSpan[]) =>
  new Set(spans.map(({ resource }) => resource['service.instance.id']));
/** Whether the calls of a tool are answered; a client of 2026 calls once more with its answers. */
const answered = (spans: readonly SentSpan[], tool: string, calls = 1) =>
  named(spans, `tools/call ${tool}`).length === calls;
/** The spans of a trace, once they hold what is awaited and hang together: each process sends its own when it comes to it. */
const wholeTrace = (holds: (spans: readonly SentSpan[]) => boolean, what: string) =>
  collector.trace(traceId, (seen) => holds(seen) && unconnected(seen, clientSpan).length === 0, `${what}, connected`);

describe.each(['1.x', '2.x of 2026'] as const)('a call of a client of %s', (line) => {
  it('is one connected tree over the front end and two workers that share its job', async () => {
    const [gate, ledger] = [site.gate(), site.ledger()];
    const part = { gate: gate.path, ledger: ledger.path };
    const args = { tool: 'gated', parts: [part, { ...part, progress: [1] }] };
    const calling = (await client(line)).callTool('fanning', args, { meta: { ...meta, tracestate: 'vendor=x' } });
    await until(
      () => ledger.lines(),
      (lines) => lines.length === 2,
      { what: 'both parts', limitMs: 60_000 },
    );
    await gate.open();
    await calling;

    const whole = (spans: readonly SentSpan[]) =>
      results(spans).filter((result) => result === 'completed').length === 3;
    const spans = await wholeTrace((seen) => whole(seen) && named(seen, 'tools/call fanning').length > 0, 'all');
    expect(processesOf(spans).size).toBe(3);
    const [call, ...others] = named(spans, 'tools/call fanning');
    expect([call?.parentSpanId, others]).toEqual([clientSpan, []]);
    const [send] = named(spans, 'send analysis').filter(({ parentSpanId }) => parentSpanId === call?.spanId);
    const runs = named(spans, 'process analysis').filter(({ parentSpanId }) => parentSpanId === send?.spanId);
    // It is run, waits for its parts without a slot, and is run again.
    expect(results(runs)).toEqual(['parked', 'completed']);
    const parts = named(spans, 'process analysis').filter(({ attributes }) => 'longhaul.part.id' in attributes);
    const [handOver] = named(spans, 'send analysis').filter(({ spanId }) => spanId === parts[0]?.parentSpanId);
    expect(parts.map(({ parentSpanId }) => parentSpanId)).toEqual([handOver?.spanId, handOver?.spanId]);
    expect(runs.map(({ spanId }) => spanId)).toContain(handOver?.parentSpanId);
    expect(processesOf(parts).size).toBe(2);
    expect(parts[0]?.resource).toMatchObject({ 'service.name': 'longhaul', team: 'blue' });
  });

  it('holds the question of its job, from asking to answer, and what the client does for it', async () => {
    const told: unknown[] = [];
    const sampling = (params: Readonly<Record<string, unknown>>) => {
      told.push(params._meta);
      return { model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'yes' } };
    };
    const asking = { questions: [{ key: 'a', kind: 'sampling' }] };
    await (await client(line, { sampling })).callTool('asking', asking, {
      meta: { ...meta, baggage: 'tenant=blue-sea' },
    });
    const whole = (seen: readonly SentSpan[]) =>
      results(seen).includes('completed') &&
      named(seen, 'question sampling').length === 1 &&
      answered(seen, 'asking', line === '1.x' ? 1 : 2);
    const spans = await wholeTrace(whole, 'the question and the end');
    expect(results(spans)).toEqual(['parked', 'completed']);
    const [question] = named(spans, 'question sampling');
    const [asked] = named(spans, 'process review').filter(({ spanId }) => spanId === question?.parentSpanId);
    expect(asked?.attributes).toMatchObject({ 'longhaul.run.result': 'parked' });
    expect(question?.attributes).toMatchObject({ 'longhaul.question.reply': 'answered' });
    // The client of the 2.x line keeps to itself what else stands in a question that came as a result.
    if (line === '1.x')
      expect(told).toEqual([
        expect.objectContaining({ traceparent: `00-${traceId}-${question?.spanId}-01`, baggage: 'tenant=blue-sea' }),
      ]);
  });

  it('holds every question that a job asks at once, of whatever kind', async () => {
    const offers: Offers = {
      roots: ['/'],
      sampling: () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'yes' } }),
      elicitation: () => ({ action: 'decline' }),
    };
    const kinds = ['elicitation', 'roots', 'sampling'];
    const questions = kinds.map((kind) => ({ key: kind, kind }));
    await (await client(line, offers)).callTool('asking', { questions }, { meta });
    const asked = (seen: readonly SentSpan[]) => seen.filter(({ name }) => name.startsWith('question '));
    const whole = (seen: readonly SentSpan[]) =>
      results(seen).includes('completed') &&
      asked(seen).length === kinds.length &&
      answered(seen, 'asking', line === '1.x' ? 1 : 2);
    const spans = await wholeTrace(whole, 'all questions and the end');
    // Each answer has the job run anew, and which of its runs is heard of first is nobody's promise.
    const askers = new Set(asked(spans).map(({ parentSpanId }) => parentSpanId));
    const runs = named(spans, 'process review').filter(({ spanId }) => askers.has(spanId));
    expect([askers.size, results(runs)]).toEqual([1, ['parked']]);
    expect(new Set(asked(spans).map(({ name }) => name))).toEqual(new Set(kinds.map((kind) => `question ${kind}`)));
  });
});

describe('a run', () => {
  it('that fails and is tried again is a span for each attempt', async () => {
    await (await client('2.x of 2025')).callTool(
      'failing',
      { message: 'a-word-of-the-tool', kind: 'retryable' },
      { meta },
    );
    // Each may be run by another worker, and be sent after the last one.
    const isOver = (seen: readonly SentSpan[]) => results(seen).length === 3 && answered(seen, 'failing');
    const spans = await wholeTrace(isOver, 'all attempts');
    expect(results(spans)).toEqual(['retried', 'retried', 'failed']);
    const runs = named(spans, 'process analysis');
    expect(runs.map(({ attributes }) => attributes['longhaul.job.attempt']).sort()).toEqual([1, 2, 3]);
    for (const run of runs) expect([run.failed, run.attributes['error.type']]).toEqual([true, 'handler_failed']);
    const [call] = named(spans, 'tools/call failing');
    expect([call?.failed, call?.attributes['error.type']]).toEqual([true, 'tool_error']);
  });

  it('that is cancelled ends with its call', async () => {
    const [gate, ledger, leaving] = [site.gate(), site.ledger(), new AbortController()];
    const args = { gate: gate.path, ledger: ledger.path };
    (await client('2.x of 2026')).callTool('gated', args, { meta, signal: leaving.signal }).catch(() => undefined);
    await ledger.line('start');
    leaving.abort();
    const isOver = (seen: readonly SentSpan[]) =>
      results(seen).length === 1 && named(seen, 'tools/call gated').length === 1;
    const spans = await wholeTrace(isOver, 'the end of both');
    expect(results(spans)).toEqual(['cancelled']);
    expect(named(spans, 'tools/call gated')[0]?.attributes['error.type']).toBe('cancelled');
  });

  it('that waits for an answer when its job is cancelled leaves no question open', async () => {
    const leaving = new AbortController();
    const sampling = () => {
      leaving.abort();
      return new Promise<never>(() => undefined);
    };
    const asking = { questions: [{ key: 'a', kind: 'sampling' }] };
    const connected = await client('1.x', { sampling });
    await connected.callTool('asking', asking, { meta, signal: leaving.signal }).catch(() => undefined);
    const isOver = (seen: readonly SentSpan[]) =>
      named(seen, 'question sampling').length === 1 && answered(seen, 'asking');
    const spans = await wholeTrace(isOver, 'the end of the question');
    expect(named(spans, 'question sampling')[0]?.attributes).toMatchObject({ 'longhaul.question.reply': 'none' });
  });

  it('that is lost with its worker is ended by whoever runs the job again, and what it began hangs on it', async () => {
    const [gate, ledger, hold] = [site.gate(), site.ledger(), site.gate()];
    const args = { tool: 'gated', parts: [{ gate: gate.path, ledger: ledger.path }], hold: hold.path };
    const calling = (await client('2.x of 2026')).callTool('fanning', args, { meta });
    await ledger.line('start');
    // What a worker has ended and not sent yet dies with it.
    await collector.trace(traceId, (seen) => named(seen, 'send analysis').length === 2, 'both hand-overs');
    for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
    await Promise.all([gate.open(), hold.open()]);
    await calling;
    const isWhole = (seen: readonly SentSpan[]) =>
      results(seen).filter((result) => result === 'completed').length === 2 && answered(seen, 'fanning');
    const spans = await wholeTrace(isWhole, 'the part and the job');
    const lost = named(spans, 'process analysis').filter(
      ({ attributes }) => attributes['longhaul.run.result'] === 'lost',
    );
    expect(lost.map(({ failed, attributes }) => [failed, attributes['error.type']])).toEqual([
      [true, 'worker_crashed'],
      [true, 'worker_crashed'],
    ]);
    const ids = lost.map(({ spanId }) => spanId);
    expect(named(spans, 'send analysis').some(({ parentSpanId }) => ids.includes(parentSpanId))).toBe(true);
  });
});

describe('what is told', () => {
  it.each(['nonsense', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, 7])(
    'begins anew for the malformed context %s',
    async (traceparent) => {
      const before = collector.spans.length;
      const { isError } = await (await client('2.x of 2026')).callTool(
        'echo',
        { text: 'x' },
        { meta: { traceparent } },
      );
      expect(isError ?? false).toBe(false);
      const roots = () =>
        named(collector.spans.slice(before), 'tools/call echo').filter((span) => span.parentSpanId === '');
      await until(roots, (found) => found.length === 1, { what: 'a trace of its own' });
    },
  );

  it('is nothing of a trace that its client does not record', async () => {
    const unsampled = { traceparent: meta.traceparent.replace(/01$/, '00') };
    const connected = await client('2.x of 2026');
    await connected.callTool('echo', { text: 'not recorded' }, { meta: unsampled });
    await connected.callTool(
      'echo',
      { text: 'recorded' },
      { meta: { traceparent: `00-${'a'.repeat(32)}-${clientSpan}-01` } },
    );
    await collector.trace('a'.repeat(32), (seen) => results(seen).length === 1, 'the next one');
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  it('names the trace and the job in every log line about them, and the secret of the collector in none', async () => {
    await (await client('2.x of 2026')).callTool('echo', { text: 'x' }, { meta });
    const ended = (line: LogLine) => line.msg === 'job ended' && line.trace_id === traceId;
    const lines = () => workers.flatMap(({ log }) => log).filter(ended);
    const [line] = await until(lines, (found) => found.length === 1, { what: 'the end in the log' });
    const spans = await collector.trace(traceId, (seen) => results(seen).length === 1, 'the run');
    const [run] = named(spans, 'process analysis');
    expect([line?.span_id, line?.jobId]).toEqual([run?.spanId, run?.attributes['longhaul.job.id']]);
    expect(collector.requests.every((one) => one === `POST /v1/traces Bearer ${TOKEN}`)).toBe(true);
    expect([server, ...workers].map((one) => one.stderr()).join()).not.toContain(TOKEN);
  });

  it('holds nothing of arguments, results or paths', () => {
    const told = JSON.stringify(collector.spans);
    for (const words of ['a-word-of-the-tool', site.root, site.dataDir, 'not recorded', 'blue-sea'])
      expect(told).not.toContain(words);
  });

  it('is sent whole before a process ends, by packages that are loaded for it', async () => {
    await (await client('2.x of 2026')).callTool('echo', { text: 'x' }, { meta });
    await Promise.all([server, ...workers].map((one) => one.stop()));
    const isWhole = (seen: readonly SentSpan[]) => results(seen).length === 1 && answered(seen, 'echo');
    await wholeTrace(isWhole, 'the last spans');
    const { worker, other } = await loadedIn(loaded);
    for (const names of [worker, other]) expect(names.some((name) => name.includes('opentelemetry'))).toBe(true);
  });
});
