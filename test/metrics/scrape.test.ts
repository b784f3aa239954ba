/** One scrape of a running installation: what its workers did, told by the front end, in a form that Prometheus reads. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { ERROR_KINDS } from '../../src/core/errors.js';
import { LABEL_VALUES, METRICS } from '../../src/metrics/catalogue.js';
import { until, within } from '../support/gate.js';
import { workersOf } from '../support/processes.js';
import { parseScrape, type Scrape } from '../support/prometheus-text.js';
import { faultsOf, selectorsOf } from '../support/promql.js';
import { connectClient, type Offers } from '../support/sdk-clients.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
let ops: string;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ workers: 1, args: ['--ops-port', '0'] });
  ops = String((await server.logged('listening for operators')).ops);
  await server.logged('taking jobs', 45_000);
});
afterAll(() => site.close());

function fetchMetrics(): Promise<{ status: number; type: string; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${ops}/metrics`, (res) => {
      let body = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, type: res.headers['content-type'] ?? '', body }));
    });
    asked.on('error', reject).end();
  });
}

const scrapeOnce = async () => parseScrape((await fetchMetrics()).body);
/** A whole one: the front end gives its Redis less than a second, and tells only of itself where that was too little. */
const scrape = () =>
  until(scrapeOnce, (now) => now.value('longhaul_redis_up') === 1, { what: 'a scrape of the whole installation' });
const client = async (offers: Offers = {}) => {
  const connected = await connectClient('2.x of 2026', { url: server.url }, offers);
  onTestFinished(() => connected.close());
  return connected;
};

type Series = readonly [name: string, labels: Readonly<Record<string, string>>];

/** Waits until each of the series has risen by so much since `before`. */
async function risen(before: Scrape, rises: readonly (readonly [...Series, number])[]): Promise<void> {
  const rise = (now: Scrape, [name, labels]: Series) =>
    (now.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
  const all = async () => {
    const now = await scrape();
    return rises.map(([name, labels]) => rise(now, [name, labels]));
  };
  const wanted = JSON.stringify(rises.map(([, , by]) => by));
  const what = `${JSON.stringify(rises)}`;
  await until(all, (seen) => JSON.stringify(seen) === wanted, { what, limitMs: 30_000 });
}

describe('what happens to jobs is counted', () => {
  it('a success, with its durations', async () => {
    const before = await scrape();
    await (await client()).callTool('echo', { text: 'hello' });
    const labels = { tool: 'echo', queue: 'analysis' };
    await risen(before, [
      ['longhaul_jobs_accepted_total', labels, 1],
      ['longhaul_jobs_ended_total', { ...labels, outcome: 'completed' }, 1],
      ['longhaul_job_wait_seconds_count', labels, 1],
      ['longhaul_run_seconds_count', labels, 1],
      ['longhaul_job_seconds_count', labels, 1],
    ]);
    const events = (seen: Scrape) => seen.value('longhaul_event_lag_seconds_count') ?? 0;
    await until(scrape, (now) => events(now) > events(before), { what: 'the lag of its events', limitMs: 30_000 });
  });

  it('a failure by its code, and each attempt before it', async () => {
    const before = await scrape();
    await (await client()).callTool('failing', { message: 'no', kind: 'retryable' });
    await risen(before, [
      ['longhaul_retries_total', { tool: 'failing' }, 2],
      ['longhaul_jobs_ended_total', { tool: 'failing', outcome: 'failed' }, 1],
      ['longhaul_jobs_failed_total', { tool: 'failing', code: 'handler_failed' }, 1],
      ['longhaul_run_seconds_count', { tool: 'failing' }, 3],
    ]);
  });

  it('a cancel by the state it met, and how long the worker went on', async () => {
    const before = await scrape();
    const [ledger, gate, leaving] = [site.ledger(), site.gate(), new AbortController()];
    const call = (await client()).callTool(
      'gated',
      { gate: gate.path, ledger: ledger.path },
      { signal: leaving.signal },
    );
    call.catch(() => undefined);
    await ledger.line('start');
    leaving.abort();
    await risen(before, [
      ['longhaul_jobs_cancelled_total', { state: 'active' }, 1],
      ['longhaul_jobs_ended_total', { tool: 'gated', outcome: 'cancelled' }, 1],
      ['longhaul_cancel_seconds_count', {}, 1],
    ]);
  });

  it('a question while its job is parked, and its answer', async () => {
    const before = await scrape();
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const sampling = async () => {
      await asked;
      return { model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'yes' } };
    };
    const calling = (await client({ sampling })).callTool('asking', { questions: [{ key: 'a', kind: 'sampling' }] });
    await risen(before, [
      ['longhaul_parked_jobs', { awaits: 'client' }, 1],
      ['longhaul_questions_asked_total', { kind: 'sampling' }, 1],
    ]);
    expect((await scrape()).value('longhaul_parked_oldest_seconds', { awaits: 'client' })).toBeGreaterThan(0);
    answer();
    await calling;
    await risen(before, [
      ['longhaul_parked_jobs', { awaits: 'client' }, 0],
      ['longhaul_questions_answered_total', { kind: 'sampling', reply: 'answered' }, 1],
      ['longhaul_question_seconds_count', { kind: 'sampling' }, 1],
    ]);
  });

  it('a scan, by whether its files were read', async () => {
    const before = await scrape();
    mkdirSync(`${site.root}/tree`);
    for (const name of ['a.c', 'b.c', 'c.c']) writeFileSync(`${site.root}/tree/${name}`, 'int x;\n');
    await (await client()).callTool('analyze_codebase', { path: `${site.root}/tree` });
    await risen(before, [['longhaul_scanned_files_total', {}, 3]]);
  });

  it('a run that is lost with its worker, without any count falling', async () => {
    const before = await scrape();
    const [ledger, gate] = [site.ledger(), site.gate()];
    const call = (await client()).callTool('gated', { gate: gate.path, ledger: ledger.path });
    await ledger.line('start');
    for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
    await gate.open();
    await call;
    await risen(before, [
      ['longhaul_runs_lost_total', { found: 'recovery' }, 1],
      ['longhaul_workers_lost_total', { by: 'exit' }, 1],
      ['longhaul_jobs_ended_total', { tool: 'gated', outcome: 'completed' }, 1],
    ]);
    const now = await scrape();
    for (const { name, type, samples } of before.families.values()) {
      if (type !== 'counter' || !name.startsWith('longhaul_')) continue;
      for (const { labels, value } of samples)
        expect(now.value(name, labels), `${name} ${JSON.stringify(labels)}`).toBeGreaterThanOrEqual(value);
    }
  });
});

const read = (path: string) => readFileSync(new URL(`../../ops/${path}`, import.meta.url), 'utf8');
/** Values of labels that a quiet installation may not have shown yet. */
const WORDS = { ...LABEL_VALUES, code: Object.keys(ERROR_KINDS) };

/** The expressions of the alert rules, and those of the dashboard with what Grafana puts in their places. */
const rules = () => {
  const { groups }: { groups: { rules: Rule[] }[] } = parse(read('prometheus/alerts.yml'));
  return groups.flatMap((group) => group.rules);
};
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const panels = () => {
  const { panels: all }: { panels: Panel[] } = JSON.parse(read('grafana/longhaul.json'));
  return all.filter(({ targets }) => targets !== undefined);
};
interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const inGrafana = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*');

describe('what ships in ops/', () => {
  it('has alert rules whose every series, label and use of it is as in the scrape', async () => {
    const now = await scrape();
    expect(rules().length).toBeGreaterThan(10);
    expect(rules().flatMap(({ expr }) => faultsOf(expr, now, WORDS))).toEqual([]);
  });

  it('has alert rules that say what is wrong and what to do, with labels that their result has', () => {
    for (const { alert, expr, labels, annotations } of rules()) {
      expect(['critical', 'warning', 'info'], alert).toContain(labels.severity);
      expect(Object.keys(annotations).sort(), alert).toEqual(['description', 'summary']);
      const kept = selectorsOf(expr).flatMap((selector) => selector.labels);
      const shown = [...(annotations.summary ?? '').matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      for (const label of shown) expect(kept, alert).toContain(label);
    }
  });

  it('has a dashboard whose every series, label and use of it is as in the scrape', async () => {
    const now = await scrape();
    const faults = panels().flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) => faultsOf(inGrafana(expr), now, WORDS).map((fault) => `${title}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  it('has legends that name only labels which are left', () => {
    for (const { title, targets = [] } of panels())
      for (const { expr, legendFormat } of targets) {
        const left = selectorsOf(inGrafana(expr)).flatMap(({ labels }) => [...labels, 'instance']);
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(left, title).toContain(label);
      }
  });

  it('shows every metric that is not only for an alert', () => {
    const shown = new Set(
      panels()
        .flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => selectorsOf(inGrafana(expr))))
        .map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')),
    );
    const unshown = Object.keys(METRICS).filter((name) => !shown.has(name));
    expect(unshown).toEqual(['longhaul_totals_dropped_total', 'longhaul_info']);
  });

  it.each([
    ['rate(longhaul_sessions[5m])', 'is a gauge'],
    ['longhaul_retries_total > 5', 'only rises'],
    ['sum(longhaul_no_such_thing)', 'is no metric'],
    ['sum by (colour) (longhaul_parked_jobs)', 'has no label colour'],
    ['longhaul_parked_jobs{awaits="godot"}', 'has no awaits godot'],
    ['histogram_quantile(0.9, sum by (tool) (rate(longhaul_run_seconds_bucket[5m])))', 'loses its buckets'],
    ['histogram_quantile(0.9, rate(longhaul_run_seconds_sum[5m]))', 'is not what a quantile'],
    ['rate(longhaul_run_seconds[5m])', 'is no metric'],
  ])('would be faulted for %s', async (expression, fault) => {
    expect(faultsOf(expression, await scrape(), WORDS).join()).toContain(fault);
  });

  it('would be faulted for what is no PromQL', () => {
    expect(() => selectorsOf('sum by (tool (x)')).toThrow(/not PromQL/);
  });
});

describe('a scrape', () => {
  it('is of the text format, tells of every metric of the table, and of no label beside those it names', async () => {
    const { status, type } = await fetchMetrics();
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const { families } = await scrape();
    expect([...families.keys()].filter((name) => name.startsWith('longhaul_')).sort()).toEqual(
      Object.keys(METRICS).sort(),
    );
    for (const [name, { type: kind, labels }] of Object.entries(METRICS)) {
      const family = families.get(name);
      expect(family?.type, name).toBe(kind);
      for (const sample of family?.samples ?? [])
        expect(
          Object.keys(sample.labels)
            .filter((label) => label !== 'le')
            .sort(),
          name,
        ).toEqual([...labels].sort());
    }
  });

  it('tells of the processes, workers and queues that are there', async () => {
    const all = async () => {
      const now = await scrape();
      const of = (name: string, labels = {}) => now.value(name, labels);
      return {
        up: of('longhaul_redis_up'),
        workers: of('longhaul_workers', { queue: 'analysis' }),
        slots: of('longhaul_worker_slots'),
        active: of('longhaul_queue_jobs', { state: 'active' }),
        front: of('longhaul_processes', { role: 'front_end' }),
        calls: of('longhaul_calls'),
      };
    };
    const wanted = { up: 1, workers: 1, slots: 12, active: 0, front: 1, calls: 0 };
    await until(all, (seen) => JSON.stringify(seen) === JSON.stringify(wanted), { what: 'that', limitMs: 30_000 });
  });

  it('is answered in time while Redis is away, and says so', async () => {
    const pid = Number(readFileSync(`${site.dataDir}/redis.pid`, 'utf8'));
    process.kill(pid, 'SIGSTOP');
    try {
      // Prometheus waits ten seconds; a Redis that is stopped would be waited for for ever.
      const now = await within(scrapeOnce(), { what: 'the answer', limitMs: 10_000 });
      expect(now.value('longhaul_redis_up')).toBe(0);
      expect(now.value('process_resident_memory_bytes')).toBeGreaterThan(0);
      expect(now.value('longhaul_sessions')).toBeUndefined();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});
