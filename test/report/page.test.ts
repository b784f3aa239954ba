import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import type { FileRow } from '../../src/report/analysis.js';
import { htmlReport } from '../../src/report/html/page.js';
import { PAGE_SCRIPT } from '../../src/report/html/script.js';
import { type Box, squarify } from '../../src/report/html/squarify.js';
import { type MapNode, mapOf } from '../../src/report/html/tree.js';
import { escapeHtml, scriptJson } from '../../src/web/escape.js';
import { ANALYSIS, FILES, HOSTILE, reportOf } from './reports.js';

const file = (path: string, code: number, complexity?: number): FileRow => ({
  path,
  language: 'TypeScript',
  lines: code,
  code,
  comments: 0,
  blanks: 0,
  bytes: code,
  ...(complexity !== undefined && { complexity }),
});

/** As many files as the Linux sources have, in folders as deep and as wide. */
const manyFiles = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    file(`d${at % 97}/e${at % 13}/long-folder-name-${at % 5}/file-${at}.c`, (at % 700) + 1, at % 50),
  );

describe('a squarified treemap', () => {
  it('is laid out as in the example of its paper', () => {
    const boxes = squarify([6, 6, 4, 3, 2, 2, 1], [0, 0, 6, 4]);
    const round = (box: Box | undefined) => box?.map((value) => Math.round(value * 100) / 100);
    expect([boxes[0], boxes[1], boxes[2], boxes[3]].map(round)).toEqual([
      [0, 0, 3, 2],
      [0, 2, 3, 2],
      [3, 0, 1.71, 2.33],
      [4.71, 0, 1.29, 2.33],
    ]);
  });

  it.each([[[1]], [[5, 5, 5, 5]], [[1_000_000, 1, 1]], [Array.from({ length: 150 }, (_, at) => 150 - at)]])(
    'of %j fills its box in proportion, and no boxes overlap',
    (weights) => {
      const [width, height] = [640, 360];
      const boxes = squarify(weights, [0, 0, width, height]);
      const sum = weights.reduce((all, weight) => all + weight, 0);
      boxes.forEach(([, , w, h], at) => {
        expect(w * h).toBeCloseTo(((weights[at] ?? 0) * width * height) / sum, 3);
      });
      const clash = boxes.some((a, at) => boxes.slice(at + 1).some((b) => overlap(a, b) > 0.01));
      expect(clash).toBe(false);
      for (const [x, y, w, h] of boxes) {
        expect(x >= -0.01 && y >= -0.01 && x + w <= width + 0.01 && y + h <= height + 0.01).toBe(true);
      }
    },
  );

  it('of nothing is nothing', () => {
    expect(squarify([], [0, 0, 10, 10])).toEqual([]);
  });
});

describe('the map of the code', () => {
  it('joins chains of folders, leaves out what has no code, and sums up', () => {
    const map = mapOf([file('a/b/c/x.ts', 10, 2), file('a/b/c/y.ts', 5), file('z.ts', 1), file('empty.ts', 0)]);
    expect(map).toMatchObject({ c: 16, f: 4, x: 2 });
    expect(map.k?.map(({ n, c }) => [n, c])).toEqual([
      ['a/b/c', 15],
      ['z.ts', 1],
    ]);
    expect(map.k?.[0]?.k?.map(({ n }) => n)).toEqual(['x.ts', 'y.ts']);
    expect(map.k?.[1]).not.toHaveProperty('x');
  });

  it('of 80,000 files is bounded, and no line of code is lost in it', () => {
    const files = manyFiles(80_000);
    const map = mapOf(files);
    const all = nodesOf(map);
    expect(all.length).toBeLessThanOrEqual(3_001);
    for (const node of all) {
      const inner = node.k?.reduce((sum, child) => sum + child.c, 0);
      expect(inner ?? node.c).toBe(node.c);
    }
    const sizes = map.k?.map(({ c }) => c) ?? [];
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  });

  it('of one folder with 80,000 files names the largest and sums up the rest', () => {
    const map = mapOf(Array.from({ length: 80_000 }, (_, at) => file(`f${at}`, 1)));
    expect(map.k).toHaveLength(150);
    expect(map.k?.find(({ n }) => n === '')).toMatchObject({ f: 80_000 - 149, c: 80_000 - 149 });
  });

  it('of a very deep path is no deeper than its bound', () => {
    const map = mapOf([file(`${'d/'.repeat(2_000)}x.ts`, 1), file('y.ts', 1)]);
    expect(nodesOf(map).length).toBe(4);
    expect(JSON.stringify(map).length).toBeLessThan(1_000);
  });
});

describe('an HTML report', () => {
  const html = htmlReport(reportOf(ANALYSIS, { files: FILES }));

  it('allows no network, and only its own style and script', () => {
    expect(html).toMatch(
      /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'"/,
    );
    expect(html).not.toMatch(/(?:src|href)="(?!#)/);
    expect(html).not.toMatch(/\sstyle="/);
  });

  it('has a script that parses, and ends none of its elements early', () => {
    expect(parseSync('page.js', PAGE_SCRIPT).errors).toEqual([]);
    expect(PAGE_SCRIPT).not.toContain('</');
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html.match(/<\/script>/g)).toHaveLength(2);
  });

  it('never holds a hostile name as markup', () => {
    expect(html).not.toContain('<img');
    expect(html).not.toContain('\u2028');
    const json = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    const names = nodesOf(JSON.parse(json).map).map(({ n }) => n);
    expect(names).toContain(HOSTILE.slice(HOSTILE.lastIndexOf('/') + 1));
  });

  it('tells files, hotspots, duplicates and functions in tables, and metrics that failed', () => {
    for (const id of ['languages', 'files', 'hotspots', 'duplicates', 'functions', 'coverage', 'skipped', 'submodules'])
      expect(html).toContain(`<section id="${id}"`);
    expect(html).toContain('Not measured: git was not found');
    expect(html).toContain('<bdi>untangle</bdi>');
  });

  it('of 80,000 files stays small enough for a phone', () => {
    const page = htmlReport(reportOf(ANALYSIS, { files: manyFiles(80_000) }));
    expect(page.length).toBeLessThan(700_000);
    expect(page).toContain('Here are the first 500 rows; JSON and CSV reports have 80,000.');
  });

  it('without rows of files maps the languages', () => {
    const page = htmlReport(reportOf(ANALYSIS));
    const json = /id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
    expect(JSON.parse(json).map.k.map((one: MapNode) => one.n)).toEqual(['TypeScript', 'C++', 'JavaScript']);
    expect(page).not.toContain('<section id="files"');
  });

  it.each([
    ['<a b="c">', '&#60;a b=&#34;c&#34;&#62;'],
    ["'`&", '&#39;&#96;&#38;'],
    ['a\u0000\nb', 'a\u{fffd}\u{fffd}b'],
  ])('writes %j as %s', (text, escaped) => {
    expect(escapeHtml(text)).toBe(escaped);
  });

  it('writes data that reads back as it was', () => {
    const value = { name: `</script><!--\u2028\u2029&${HOSTILE}` };
    expect(scriptJson(value)).not.toMatch(/[<>&\u2028\u2029]/);
    expect(JSON.parse(scriptJson(value))).toEqual(value);
  });
});

function nodesOf(node: MapNode): MapNode[] {
  return [node, ...(node.k ?? []).flatMap(nodesOf)];
}

function overlap([ax, ay, aw, ah]: Box, [bx, by, bw, bh]: Box): number {
  const width = Math.min(ax + aw, bx + bw) - Math.max(ax, bx);
  const height = Math.min(ay + ah, by + bh) - Math.max(ay, by);
  return width > 0.001 && height > 0.001 ? width * height : 0;
}
