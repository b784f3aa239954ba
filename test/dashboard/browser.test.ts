/** The dashboard in Chromium over a running installation: what an operator sees and does; skipped where no Chromium is installed. */
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findChromium, skippedWithoutChromium } from '../support/chromium.js';
import { until } from '../support/gate.js';
import { init, jobIdOf, type WireSession } from '../support/http-wire.js';
import { question, WILLING } from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';
import { MANY, manyId, manyJobs } from './many-jobs.js';

const TOKEN = 'the-token-of-an-operator';
const AS_OPERATOR = { httpCredentials: { username: 'anybody', password: TOKEN, send: 'unauthorized' } } as const;
/** Pages ask every two seconds, on machines that others use as well. */
const SOON = { timeout: 30_000 };
const executablePath = findChromium();
/** Thousands of files of others: to measure them takes longer than anybody looks here. */
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

describe.skipIf(!executablePath)(`the dashboard in Chromium${skippedWithoutChromium(executablePath)}`, () => {
  let browser: Browser;
  let site: Site;
  let server: HttpServer;
  let ops: string;
  let session: WireSession;
  let calls = 0;

  beforeAll(async () => {
    site = await openSite();
    [browser, server] = await Promise.all([
      chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] }),
      site.http({
        args: ['--root', PACKAGES, '--ops-port', '0', '--ops-write', '--concurrency', 'analysis=2,review=4'],
        env: { LONGHAUL_OPS_TOKENS: `ann:${TOKEN}` },
      }),
    ]);
    ops = String((await server.logged('listening for operators')).ops);
    session = await init(server, WILLING);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await site.close();
  });

  /** Opens a page, and says what it complained of and asked other hosts for. */
  async function open(path = '/', options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    const strangers: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => request.url().startsWith(ops) || strangers.push(request.url()));
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(ops + path);
    return { page, complaints, strangers };
  }

  /** Calls a tool and leaves it running; the id is that of its job, as its first progress names it. */
  async function start(tool: string, args: object) {
    calls += 1;
    const requestId = calls;
    const stream = await session.call(requestId, tool, args, `progress ${calls}`);
    // Whatever comes of the test, the job must not hold a slot against the next one.
    onTestFinished(async () => void (await session.notify('notifications/cancelled', { requestId })));
    const told = await stream.message(({ method }) => method === 'notifications/progress');
    const { _meta } = told.params as { _meta?: Record<string, unknown> };
    return { id: String(_meta?.['longhaul/jobId']), stream, call: calls };
  }

  const lineOf = (page: Page, list: string, id: string) => page.locator(`section:has(#${list}) [data-key="${id}"]`);
  const text = (page: Page, selector: string) => async () => (await page.locator(selector).first().textContent()) ?? '';

  it('loads all it shows from its own listener, says that all is well, and names the worker', async () => {
    const { page, complaints, strangers } = await open();
    await expect.poll(text(page, '#verdict'), SOON).toBe('All is well');
    expect(await page.locator('section:has(#workers) tbody tr').count()).toBe(1);
    expect(await page.locator('section:has(#workers) tbody').textContent()).toMatch(/0\/6idle0\.\d+\.\d+all/);
    expect(await page.locator('section:has(#sessions) tbody').textContent()).toContain('t 0');
    await page.locator('#connection.on').waitFor();
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
    // Of the program as it is shipped, into which not every package can be bundled.
    const metrics = async () => {
      const reply = await page.request.get(`${ops}/metrics`);
      return [reply.status(), await reply.text()];
    };
    await expect.poll(metrics, SOON).toEqual([200, expect.stringContaining('longhaul_redis_up 1')]);
  });

  it('moves the bar of a running scan, without a reload, and neither the focus nor what stands around it', async () => {
    const scan = {
      path: PACKAGES,
      include: ['**/*.js'],
      classes: ['vendored'],
      metrics: ['complexity'],
      use_cache: false,
    };
    const { id } = await start('analyze_codebase', scan);
    const { page } = await open();
    const line = lineOf(page, 'running', id);
    const percent = async () => Number(await line.locator('progress').getAttribute('value'));
    await line.locator('a.job').focus();
    await page.evaluate(`(() => {
      window.shifts = 0;
      const add = (list) => list.getEntries().forEach((entry) => (window.shifts += entry.value));
      new PerformanceObserver(add).observe({ type: 'layout-shift' });
    })()`);
    const before = await percent();
    await expect.poll(percent, SOON).toBeGreaterThan(before);
    expect(await line.textContent()).toMatch(/of [\d,]+ files/);
    expect(await page.evaluate('document.activeElement.title')).toBe(id);
    // What Chromium's makers call good; lists may gain a line meanwhile.
    expect(await page.evaluate('window.shifts')).toBeLessThan(0.1);
    await session.notify('notifications/cancelled', { requestId: calls });
    await expect.poll(() => lineOf(page, 'recent', id).locator('.state').textContent(), SOON).toBe('cancelled');
    // The lists of one look are read one after the other: what ends in between stands in both.
    await expect.poll(() => line.count(), SOON).toBe(0);
  });

  it('says of a parked job whom it waits for, until when, and what it asks', async () => {
    const { id, stream } = await start('asking', {
      questions: [
        { key: 'a', kind: 'sampling' },
        { key: 'b', kind: 'elicitation' },
      ],
    });
    await question(stream, 'question a');
    const { page } = await open();
    const line = lineOf(page, 'parked', id);
    await expect.poll(() => line.count(), SOON).toBe(1);
    expect(await line.textContent()).toMatch(
      /the model and the user \(a form\) of local's t 0.*until \d\d:\d\d:\d\d \(in \d+ min\)/s,
    );
    await line.locator('a.job').click();
    await page.locator('details summary').first().click();
    expect(await page.locator('details[open] pre').textContent()).toContain('question');
    expect(await page.locator('#main').textContent()).toContain("the model and the user (a form) of local's t 0");
    await session.notify('notifications/cancelled', { requestId: calls });
    await expect.poll(text(page, '.state'), SOON).toBe('cancelled');
  });

  it('cancels with the token, and without it says what is missing and changes nothing', async () => {
    const ledger = site.ledger();
    const { id, stream, call } = await start('gated', { gate: site.gate().path, progress: [5], ledger: ledger.path });
    const stranger = await open(`/jobs/${id}`, {
      httpCredentials: { ...AS_OPERATOR.httpCredentials, password: 'a-token-that-is-wrong' },
    });
    await stranger.page.getByRole('button', { name: /^Cancel/ }).click();
    await expect.poll(text(stranger.page, '#told'), SOON).toContain('A change needs a token of LONGHAUL_OPS_TOKENS');
    const without = `fetch(document.querySelector('form.act').action, { method: 'POST', credentials: 'omit' }).then((r) => r.status)`;
    expect(await stranger.page.evaluate(without)).toBe(401);
    await expect.poll(text(stranger.page, '.state'), SOON).toBe('active');
    const { page } = await open(`/jobs/${id}`, AS_OPERATOR);
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await expect.poll(text(page, '#told'), SOON).toBe('Cancelled.');
    await expect.poll(text(page, '.state'), SOON).toBe('cancelled');
    await ledger.line(`abort ${id}`);
    expect((await stream.response(call)).result?.isError).toBe(true);
    await expect.poll(text(page, 'pre'), SOON).toContain('cancelled by the operator ann');
    const logged = await server.logged('an operator changed a job');
    expect(logged).toMatchObject({ operator: 'ann', act: 'cancel', jobId: id });
    await page.getByRole('button', { name: /^Run again/ }).click();
    await expect.poll(text(page, '#told'), SOON).toMatch(/^Runs again as job_/);
  });

  it('lets a job that waits for its next attempt be tried now, also without scripts', async () => {
    const ledger = site.ledger();
    calls += 1;
    const requestId = calls;
    await session.call(requestId, 'flaky', { ledger: ledger.path });
    onTestFinished(async () => void (await session.notify('notifications/cancelled', { requestId })));
    const [, id = ''] = (await ledger.line('start')).split(' ');
    const { page } = await open(`/jobs/${id}`, { ...AS_OPERATOR, javaScriptEnabled: false });
    await until(
      async () => {
        await page.reload();
        return text(page, '.state')();
      },
      (state) => state === 'delayed',
      { what: 'the job to be delayed' },
    );
    await page.getByRole('button', { name: /^Try now/ }).click();
    await ledger.line(`start ${id} attempt 2`);
    expect(page.url()).toBe(`${ops}/jobs/${id}`);
  });

  it('shows hostile text as text and five megabytes as their beginning', async () => {
    const hostile = '<img src=x onerror=window.hacked=1>"\'</pre><script>window.hacked=1</script>';
    const failed = await session.result('hostile', 'failing', { message: hostile, kind: 'app' });
    const big = await session.result('big', 'big', { bytes: 5_000_000 });
    for (const [id, part] of [
      [jobIdOf(failed), hostile],
      [jobIdOf(big), '5.0 MB in all'],
    ] as const) {
      const { page, complaints } = await open(`/jobs/${id}`);
      const shown = await page.locator('#main').textContent();
      expect(shown?.length).toBeLessThan(20_000);
      if (part === hostile) expect(shown).toContain('<img src=x onerror=window.hacked=1>');
      else expect(shown).toMatch(/The beginning; 4\.8 MiB in all/);
      expect([await page.locator('img, main script').count(), await page.evaluate('window.hacked')]).toEqual([
        0,
        undefined,
      ]);
      expect(complaints).toEqual([]);
    }
  });

  it('fits phones and screens without scrolling sideways, in both schemes', async () => {
    const backs = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open('/', { colorScheme });
      const widths = [320, 390, 768, 1_280];
      const seen = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        seen.push(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      }
      expect(seen).toEqual(widths.map(() => true));
      backs.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }
    expect(backs).toEqual(['rgb(243, 245, 248)', 'rgb(13, 17, 23)']);
  });

  it('goes on by itself when the connection comes back, and says since when it was lost', async () => {
    const { page } = await open();
    await page.locator('#connection.on').waitFor();
    await page.route('**/*', (route) => route.abort());
    await expect.poll(text(page, '#connection'), SOON).toMatch(/^Not connected since \d\d:\d\d:\d\d UTC/);
    await page.unroute('**/*');
    await expect.poll(text(page, '#connection'), SOON).toMatch(/^Live, /);
  });

  it('shows the queues on the board, complains of nothing, asks nobody else, and lets nothing be changed there', async () => {
    const { id, stream } = await start('asking', { questions: [{ key: 'a', kind: 'sampling' }] });
    await question(stream, 'question a');
    const { page, complaints, strangers } = await open(`/queues/queue/review/${id}`, AS_OPERATOR);
    await expect.poll(text(page, '#root'), SOON).toContain('question');
    for (const name of ['Retry', 'Clean', 'Promote']) expect(await page.getByTitle(name).count()).toBe(0);
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
    const change = await page.request.put(`${ops}/queues/api/queues/review/${id}/promote`);
    expect(change.status()).toBe(405);
    for (const path of ['/queues/static/../index.ejs', '/queues/static/%2e%2e/%2e%2e/package.json'])
      expect(await (await page.request.get(ops + path)).text()).not.toMatch(/<%|"name"/);
    await session.notify('notifications/cancelled', { requestId: calls });
  });

  // Most of its time goes into storing them.
  it('shows a hundred thousand jobs by what a page holds, and leads through them', { timeout: 90_000 }, async () => {
    const filled = manyJobs(site.dataDir, 'many');
    const crowded = await site.http({ workers: 0, args: ['--ops-port', '0'], env: { LONGHAUL_NAMESPACE: 'many' } });
    const { ops: url } = await crowded.logged('listening for operators');
    const jobs = await filled;
    const context = await browser.newContext();
    onTestFinished(async () => {
      await context.close();
      await crowded.stop();
      await jobs.empty();
    });
    const page = await context.newPage();
    const before = await jobs.calls('hmget');
    const loaded = await page.goto(String(url));
    expect(await jobs.calls('hmget')).toBeLessThan(before + 200);
    expect((await loaded?.body())?.length).toBeLessThan(100_000);
    expect(await page.locator('.tiles').textContent()).toContain('Waiting100,000');
    expect(await text(page, '#verdict')()).toBe('In trouble');
    expect(await page.locator('section:has(#waiting) li').first().textContent()).toMatch(/^1\. echo job_00000000… ann/);
    await page.goto(`${url}/jobs?from=9950`);
    expect(await page.locator('table.jobs tbody tr').count()).toBe(50);
    expect(await page.locator('.pages').textContent()).toBe('newest');
    await page.goto(`${url}/jobs?state=failed`);
    expect(await text(page, '.pages a')()).toBe('older');
    const secret = `ghp_${'aB3dE5gH7j'.repeat(3)}K9mN1p`;
    const progress = JSON.stringify({ progress: 1, total: 2, message: `logged in with ${secret}` });
    await jobs.write(manyId(MANY), {
      progress,
      faults: JSON.stringify([{ attempt: 1, atMs: 1, error: { code: 'internal', message: secret, retryable: true } }]),
    });
    await page.goto(`${url}/jobs/${manyId(MANY)}`);
    expect(await text(page, '#main')()).toMatch(/\[REDACTED:github_token:\w+\].*\[REDACTED:github_token:\w+\]/s);
    expect(await page.content()).not.toContain(secret);
    expect(await text(page, 'dl.facts')()).toContain('analysis, place 100000');
    await page.goto(`${url}/queues/queue/analysis?status=prioritized`);
    await expect.poll(text(page, '#root'), SOON).toContain(manyId(1));
  });

  it('says that Redis is away, and what to do, as long as it is', async () => {
    const args = ['--ops-port', '0'];
    const lost = await site.http({ workers: 0, args, env: { LONGHAUL_REDIS_URL: 'redis://127.0.0.1:1' } });
    onTestFinished(() => void lost.stop());
    const { ops: url } = await lost.logged('listening for operators');
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(String(url));
    expect(await text(page, '#verdict')()).toBe('In trouble');
    expect(await text(page, '.verdict')()).toMatch(/The queue cannot be looked at: .*Redis: .*/s);
    const jobs = await page.request.get(`${url}/jobs`);
    expect([jobs.status(), await jobs.text()]).toEqual([503, expect.stringMatching(/^The job queue is unavailable/)]);
  });
});
