/** The HTML report in Chromium: looked at as people do, on a phone and by keyboard; skipped where no Chromium is installed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FileRow, Report } from '../../src/report/analysis.js';
import { htmlReport } from '../../src/report/html/page.js';
import { findChromium, skippedWithoutChromium } from '../support/chromium.js';
import { ANALYSIS, FILES, HOSTILE, reportOf } from './reports.js';

const executablePath = findChromium();
const why = skippedWithoutChromium(executablePath);

describe.skipIf(!executablePath)(`the HTML report in Chromium${why}`, () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longhaul-page-'));
    // Tests may run as root in a container, where Chromium cannot make its sandbox; the pages are our own.
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a report, and says what the page complained of and asked the network for. */
  async function setup(report: Report, options: BrowserContextOptions = {}) {
    const file = join(folder, `${crypto.randomUUID()}.html`);
    await writeFile(file, htmlReport(report));
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, complaints, asked };
  }

  const small = () => reportOf(ANALYSIS, { files: FILES });

  it('runs nothing that a file name brings, complains of nothing and asks for nothing', async () => {
    const { page, complaints, asked } = await setup(small());
    const tile = page
      .locator('#tiles button', { hasText: '<img' })
      .or(page.locator('#tiles button[aria-label*="script"]'));
    expect(await tile.count()).toBeGreaterThan(0);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('#files tbody th', { hasText: 'onerror' }).textContent()).toBe(
      HOSTILE.replace('\u2028', '\u{fffd}'),
    );
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(complaints).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it.each([320, 360, 1_280])('fits a width of %d pixels without scrolling sideways, in both schemes', async (width) => {
    const backs = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await setup(small(), { viewport: { width, height: 700 }, colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      backs.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }
    expect(backs).toEqual(['rgb(255, 255, 255)', 'rgb(13, 17, 23)']);
  });

  it('opens a folder of the map by keyboard, leads back by Escape, and keeps the focus in it', async () => {
    const { page } = await setup(small());
    const first = page.locator('#tiles > button').first();
    await first.focus();
    expect(await page.locator('#detail').textContent()).toBe(
      'src: 1,000 lines of code, 2 files, complexity 150 (15.0 for 100 lines), mostly TypeScript',
    );
    await page.keyboard.press('Enter');
    expect(await labels(page)).toEqual([
      expect.stringContaining('big.ts: 900'),
      expect.stringContaining('a b.ts: 100'),
    ]);
    expect(await page.evaluate('document.activeElement.parentElement.id')).toBe('tiles');
    expect(await page.locator('#crumbs').textContent()).toContain('/src/a tree / src');
    await page.keyboard.press('Escape');
    expect(await labels(page)).toHaveLength(3);
    await page.locator('#colours').selectOption('language');
    expect(await page.locator('#key').textContent()).toContain('TypeScript');
  });

  it('fills the map with tiles in proportion to their code, at any width', async () => {
    const { page } = await setup(small(), { viewport: { width: 900, height: 700 } });
    for (const width of [900, 400]) {
      await page.setViewportSize({ width, height: 700 });
      await expect
        .poll(() =>
          page.evaluate(`(() => {
          const map = document.getElementById('tiles');
          const area = (e) => e.getBoundingClientRect().width * e.getBoundingClientRect().height;
          return [...map.children].map((tile) => Math.round((1000 * area(tile)) / (map.clientWidth * map.clientHeight)));
        })()`),
        )
        .toEqual([769, 154, 77]);
    }
  });

  it('sorts a table by a click on its head, numbers as numbers', async () => {
    const { page } = await setup(small());
    const head = page.locator('#files thead th', { hasText: 'Complexity' });
    const complexities = () => page.locator('#files tbody td:last-child').allInnerTexts();
    await head.getByRole('button').click();
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await complexities()).toEqual(['120', '50', '30', '3']);
    await head.getByRole('button').click();
    expect(await complexities()).toEqual(['3', '30', '50', '120']);
  });

  it('tells everything but the map without scripts', async () => {
    const { page } = await setup(small(), { javaScriptEnabled: false });
    expect(await page.locator('#map').isVisible()).toBe(false);
    expect(await page.locator('#files tbody tr').count()).toBe(4);
    expect(await page.locator('#hotspots .bars li').count()).toBe(2);
  });

  it('shows 80,000 files', async () => {
    const [row] = FILES;
    const files = Array.from(
      { length: 80_000 },
      (_, at): FileRow => ({ ...(row ?? never()), path: `d${at % 97}/e${at % 13}/file-${at}.c`, code: (at % 700) + 1 }),
    );
    const { page, complaints } = await setup(reportOf(ANALYSIS, { files }), { viewport: { width: 360, height: 740 } });
    expect(await page.locator('#tiles > button').count()).toBe(97);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(complaints).toEqual([]);
  });
});

function labels(page: Page): Promise<string[]> {
  return page
    .locator('#tiles > button')
    .evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('aria-label') ?? ''));
}

function never(): never {
  throw new Error('there are files');
}
