/** The script of the page: draws the map of the code, and sorts tables. Without it the page still tells everything in tables. */
import { squarify } from './squarify.js';

/** Decisions for 100 lines of code from which on a tile has the next colour. */
const STEPS = [5, 10, 15, 20];
/** How deep tiles show what is in them, and from which size in pixels on. */
const DRAWN = { depth: 3, head: 19, inner: 26, label: 34 };

/**
 * Foreign text reaches the page as the JSON of one element and leaves it by `textContent` and `setAttribute` only, so
 * that no name of a file is ever read as markup.
 */
export const PAGE_SCRIPT = `(() => {
'use strict';
const STEPS = ${JSON.stringify(STEPS)}, DRAWN = ${JSON.stringify(DRAWN)};
${squarify}
const byId = (id) => document.getElementById(id);
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const figure = (value) => value.toLocaleString('en-US');

const data = JSON.parse(byId('data').textContent);
if (data.map.k && data.map.k.length > 0) drawMap();
for (const table of document.querySelectorAll('table.sortable')) makeSortable(table);

function drawMap() {
  byId('map').hidden = false;
  const tiles = byId('tiles'), detail = byId('detail'), crumbs = byId('crumbs'), legend = byId('key'), colours = byId('colours');
  const hint = detail.textContent;
  const described = new WeakMap();
  let trail = [data.map];
  let drawnWidth = 0;

  const here = () => trail[trail.length - 1];
  const nameOf = (node) => node.n || (node === data.map ? data.root : figure(node.f) + ' smaller ones');
  const density = (node) => (node.x === undefined || node.c === 0 ? undefined : (100 * node.x) / node.c);
  const byLanguage = () => colours.value === 'language';
  const colourOf = (node) => {
    if (byLanguage()) {
      const at = data.languages.indexOf(node.g);
      return 'g' + (at < 0 || at > 7 ? 8 : at);
    }
    const value = density(node);
    return value === undefined ? 'cx' : 'c' + STEPS.filter((step) => value >= step).length;
  };
  const words = (node) => {
    const parts = [figure(node.c) + ' lines of code'];
    if (node.k || node.f !== 1) parts.push(figure(node.f) + (node.f === 1 ? ' file' : ' files'));
    if (node.x !== undefined) parts.push('complexity ' + figure(node.x) + ' (' + density(node).toFixed(1) + ' for 100 lines)');
    if (node.g) parts.push((node.k || node.f !== 1 ? 'mostly ' : '') + node.g);
    return parts.join(', ');
  };

  function tileOf(node, box, depth, path) {
    const tile = make(depth === 0 ? 'button' : 'span', 'tile ' + colourOf(node) + (node.k ? ' folder' : ''));
    const style = tile.style;
    [style.left, style.top, style.width, style.height] = box.map((value) => value + 'px');
    described.set(tile, path.join('/') + ': ' + words(node));
    if (depth === 0) {
      tile.type = 'button';
      tile.setAttribute('aria-label', nameOf(node) + ': ' + words(node) + (node.k ? '. Opens.' : ''));
      tile.addEventListener('click', () => (node.k ? open([...trail, node]) : tell(tile)));
    } else tile.setAttribute('aria-hidden', 'true');
    if (box[2] >= DRAWN.label && box[3] >= DRAWN.head) tile.append(make('span', 'name', nameOf(node)));
    const inner = [3, DRAWN.head, box[2] - 6, box[3] - DRAWN.head - 3];
    if (node.k && depth < DRAWN.depth && inner[2] >= DRAWN.inner && inner[3] >= DRAWN.inner) {
      tile.className = 'tile folder open';
      fill(tile, node, inner, depth + 1, path);
    }
    return tile;
  }

  function fill(parent, node, box, depth, path) {
    const boxes = squarify(node.k.map((child) => child.c), box);
    node.k.forEach((child, at) => {
      const place = boxes[at];
      if (depth > 0 && (place[2] < 3 || place[3] < 3)) return;
      parent.append(tileOf(child, place, depth, [...path, nameOf(child)]));
    });
  }

  function draw() {
    drawnWidth = tiles.clientWidth;
    tiles.textContent = '';
    const path = trail.slice(1).map(nameOf);
    fill(tiles, here(), [0, 0, tiles.clientWidth, tiles.clientHeight], 0, path);
    crumbs.textContent = '';
    trail.forEach((node, at) => {
      if (at > 0) crumbs.append(' / ');
      if (at === trail.length - 1) {
        const last = make('span', '', nameOf(node));
        last.setAttribute('aria-current', 'location');
        crumbs.append(last, ' ', make('span', 'faint', words(node)));
        return;
      }
      const button = make('button', '', nameOf(node));
      button.type = 'button';
      button.addEventListener('click', () => open(trail.slice(0, at + 1)));
      crumbs.append(button);
    });
    drawKey();
  }

  function drawKey() {
    const names = byLanguage()
      ? [...data.languages.slice(0, 8).map((name, at) => ['g' + at, name]), ...(data.languages.length > 8 ? [['g8', 'others']] : [])]
      : [...STEPS.map((step, at) => ['c' + at, 'under ' + step]), ['c' + STEPS.length, STEPS[STEPS.length - 1] + ' and more'], ['cx', 'not measured']];
    legend.textContent = '';
    for (const [colour, name] of names) legend.append(make('li', 'key ' + colour, name));
    if (!byLanguage()) legend.append(make('li', '', 'decisions for 100 lines of code'));
  }

  function open(next) {
    trail = next;
    detail.textContent = hint;
    draw();
    const first = tiles.querySelector('button');
    if (first) first.focus({ preventScroll: true });
  }

  function tell(element) {
    const tile = element.closest && element.closest('.tile');
    if (tile && described.has(tile)) detail.textContent = described.get(tile);
  }

  tiles.addEventListener('pointerover', (event) => tell(event.target));
  tiles.addEventListener('focusin', (event) => tell(event.target));
  byId('map').addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || trail.length === 1) return;
    event.preventDefault();
    open(trail.slice(0, -1));
  });
  colours.addEventListener('change', draw);
  new ResizeObserver(() => tiles.clientWidth !== drawnWidth && draw()).observe(tiles);
  draw();
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    const number = head.classList.contains('number');
    const button = make('button', '', head.textContent);
    button.type = 'button';
    head.textContent = '';
    head.append(button);
    const valueOf = (row) => {
      const text = row.cells[at].textContent;
      return number ? (text === '' ? -1 : Number(text.replaceAll(',', ''))) : text;
    };
    button.addEventListener('click', () => {
      const before = head.getAttribute('aria-sort');
      const upwards = before ? before === 'descending' : !number;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', upwards ? 'ascending' : 'descending');
      const sign = upwards ? 1 : -1;
      const rows = [...body.rows].map((row) => [valueOf(row), row]);
      rows.sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0));
      body.append(...rows.map(([, row]) => row));
    });
  });
}
})();`;
