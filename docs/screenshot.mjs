// Takes the picture of a report that docs/reports.md shows: node docs/screenshot.mjs report.html docs/report.png
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [report, picture] = process.argv.slice(2);
if (!report || !picture)
  throw new Error('Expected a report and a picture: node docs/screenshot.mjs report.html report.png');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1_000, height: 1_020 }, colorScheme: 'light' });
await page.goto(pathToFileURL(resolve(report)).href);
await page.screenshot({ path: picture });
await browser.close();
