/** A report as one HTML file that needs nothing else: no network, no other file, no server. */
import { createHash } from 'node:crypto';
import { bytesText, count } from '../../core/figures.js';
import { escapeHtml, scriptJson } from '../../web/escape.js';
import type { Report } from '../analysis.js';
import type { Section } from '../section.js';
import { sectionsOf, summaryOf } from '../sections.js';
import { hotspotBars, languageBars } from './bars.js';
import { PAGE_SCRIPT } from './script.js';
import { sectionHtml } from './section-html.js';
import { PAGE_STYLE } from './style.js';
import { type MapNode, mapOf } from './tree.js';

/** More rows than this make a page slow on a phone. */
const MOST_ROWS = 500;

/** The page. Style and script are allowed by their hashes alone, so nothing that a file name brings can run. */
export function htmlReport(report: Report): string {
  const { analysis, files = [] } = report;
  const sections = sectionsOf(report, MOST_ROWS, true);
  const data = {
    root: analysis.root,
    languages: [...analysis.by_language].sort((a, b) => b.code - a.code).map(({ language }) => language),
    map: files.length > 0 ? mapOf(files) : languageMap(report),
  };
  const title = escapeHtml(`Code report of ${analysis.root}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${escapeHtml(`Longhaul ${report.productVersion}`)}">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#languages">Skip the map</a>
<header><h1>${title}</h1><p class="faint">${escapeHtml(summaryOf(analysis))}; reported ${escapeHtml(report.createdAt.slice(0, 16).replace('T', ' '))} UTC</p>${cards(report)}</header>
<main>
${mapHtml(data.map.x !== undefined)}
${sections.map((section) => sectionHtml(section, chartOf(report, section))).join('\n')}
</main>
<footer>Made by Longhaul ${escapeHtml(report.productVersion)}. This page is one file and loads nothing.</footer>
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function policy(): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
  return `default-src 'none'; style-src ${hash(PAGE_STYLE)}; script-src ${hash(PAGE_SCRIPT)}; base-uri 'none'; form-action 'none'`;
}

/** Without rows of files, the map is of languages. */
function languageMap({ languages, analysis }: Report): MapNode {
  const { totals } = analysis;
  const node = (n: string, row: (typeof languages)[number]): MapNode => {
    const { code: c, lines: l, files: f, complexity: x } = row;
    return { n, c, l, f, g: row.language, ...(x !== undefined && { x }) };
  };
  const tiles = languages.filter(({ code }) => code > 0).map((row) => node(row.language, row));
  const x = languages.some((row) => row.complexity !== undefined)
    ? languages.reduce((sum, row) => sum + (row.complexity ?? 0), 0)
    : undefined;
  const k = tiles.sort((a, b) => b.c - a.c);
  return {
    n: '',
    c: totals.code,
    l: totals.lines,
    f: totals.files,
    g: k[0]?.g ?? '',
    ...(x !== undefined && { x }),
    k,
  };
}

function mapHtml(measured: boolean): string {
  const choice = measured ? '<option value="complexity">complexity</option>' : '';
  return `<section id="map" aria-labelledby="map-h" hidden>
<h2 id="map-h">Map of the code</h2>
<p>Areas are lines of code. Open a folder to look into it; Escape leads back. The tables below tell the same in words.</p>
<div class="tools"><label>Colour by <select id="colours">${choice}<option value="language">language</option></select></label><ul class="legend" id="key"></ul></div>
<nav id="crumbs" aria-label="Folder shown"></nav>
<p id="detail" aria-live="polite">Point at a tile, or tab to it, to read what it is.</p>
<div id="tiles"></div>
</section>`;
}

function cards({ analysis }: Report): string {
  const { totals, files_scanned, complexity, duplication, coverage, dependencies } = analysis;
  const share = totals.lines === 0 ? undefined : `${((100 * totals.comments) / totals.lines).toFixed(1)} %`;
  const facts: [string, string | undefined][] = [
    ['Files', count(files_scanned)],
    ['Lines of code', count(totals.code)],
    ['Comments', share],
    ['Size', bytesText(totals.bytes)],
    ['Complexity', complexity && complexity.status !== 'failed' ? count(complexity.totals.decisions) : undefined],
    ['Duplicated', duplication && duplication.status !== 'failed' ? `${duplication.totals.percentage} %` : undefined],
    [
      'Covered',
      coverage && coverage.status !== 'failed' && coverage.percentage !== null ? `${coverage.percentage} %` : undefined,
    ],
    ['Packages', dependencies && dependencies.status !== 'failed' ? count(dependencies.totals.packages) : undefined],
  ];
  const shown = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`],
  );
  return `<dl class="cards">${shown.join('')}</dl>`;
}

function chartOf({ languages, analysis }: Report, { id, rows }: Section): string {
  if (id === 'languages' && rows.length > 0) return languageBars(languages);
  const { hotspots } = analysis;
  return id === 'hotspots' && hotspots && hotspots.status !== 'failed' && rows.length > 0
    ? hotspotBars(hotspots.hotspots)
    : '';
}
