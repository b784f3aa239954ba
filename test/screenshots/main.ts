/** Takes the pictures of the README from a running installation: `npm run screenshots`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../support/chromium.js';
import { setScene } from './scene.js';
import { statusPage } from './terminal.js';

const FOLDER = process.argv[2] ?? fileURLToPath(new URL('../../docs/images/', import.meta.url));

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

const scene = await setScene();
const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
try {
  await mkdir(FOLDER, { recursive: true });
  const overview = { path: '/', width: 1_200, height: 860 } as const;
  await take(browser, { ...overview, name: 'dashboard-light', colorScheme: 'light' });
  await take(browser, { ...overview, name: 'dashboard-dark', colorScheme: 'dark' });
  await take(browser, { name: 'dashboard-phone', path: '/', width: 390, height: 844, colorScheme: 'light' });
  await take(browser, {
    name: 'dashboard-job',
    path: `/jobs/${scene.parked}`,
    width: 1_000,
    height: 760,
    colorScheme: 'light',
  });
  await takeTerminal(browser);
} finally {
  await browser.close();
  await scene.close();
}

async function take(from: Browser, { name, path, width, height, colorScheme }: Picture): Promise<void> {
  const page = await from.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(scene.ops + path);
  await page.locator('#connection.on').waitFor();
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.close();
}

async function takeTerminal(from: Browser): Promise<void> {
  const page = await from.newPage({ viewport: { width: 1_200, height: 900 } });
  await page.setContent(await statusPage(scene.site.dataDir));
  await page.locator('pre').screenshot({ path: join(FOLDER, 'terminal-status.png') });
  await page.close();
}
