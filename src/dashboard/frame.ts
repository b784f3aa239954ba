/** The frame of every page: head, navigation, and the part that the script keeps up to date. */
import { Html, html } from './html.js';
import { BOARD_PATH, type DashboardParts } from './parts.js';
import { clock, moment } from './words.js';

/** One page. */
export interface Page {
  readonly title: string;
  /** The path of the entry in the navigation that it belongs to. */
  readonly at: '/' | '/jobs';
  readonly main: Html;
}

/** Is not worth a word beside the product's own. */
const DEFAULT_NAME = 'longhaul';

const ENTRIES = [
  ['/', 'Overview'],
  ['/jobs', 'Jobs'],
  [BOARD_PATH, 'Queues'],
] as const;

/** Builds the whole document. Without scripts it loads itself anew every five seconds. */
export function frame({ version, installation, host, write }: DashboardParts, { title, at, main }: Page): string {
  const nowMs = Date.now();
  const links = ENTRIES.map(
    ([path, name]) => html`<a href="${path}"${path === at && new Html(' aria-current="page"')}>${name}</a>`,
  );
  const mode = write ? 'Changes need a token of LONGHAUL_OPS_TOKENS.' : 'Read only: started without --ops-write.';
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Longhaul</title><link rel="icon" href="/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/style.css">
<noscript><meta http-equiv="refresh" content="5"></noscript><script src="/script.js" defer></script></head>
<body><a class="skip" href="#main">Skip to the content</a>
<header><h1>Longhaul${installation !== DEFAULT_NAME && html` <span class="faint">${installation}</span>`}</h1><nav aria-label="Pages">${links}</nav>
<p class="live"><span id="connection" role="status">as of <time datetime="${moment(nowMs)}">${clock(nowMs)}</time> UTC</span> <button id="pause" type="button" hidden>Pause</button></p></header>
<p id="told" role="alert" hidden></p>
<main id="main" tabindex="-1">${main}</main>
<footer>Longhaul ${version} on ${host}. ${mode} All times are those of Redis, in UTC.</footer></body></html>
`.markup;
}
