import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { durationMs, interpolated } from './compose-file.js';
import { runTopology } from './topology.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

it('the services of the compose file work together without Docker, and leave nothing running', async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'longhaul-workspace-'));
  onTestFinished(() => rm(workspace, { recursive: true }));
  await mkdir(join(workspace, 'src'));
  await writeFile(join(workspace, 'src', 'a.ts'), 'export const a = 1;\n');
  const checks = await runTopology({ root: ROOT, workspace, say: () => undefined });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.map(({ what }) => what)).toEqual([
    'service redis',
    'service ops-token',
    'service frontend',
    'service worker',
    '/readyz',
    'scan',
    '/metrics without the token',
    '/metrics with it',
    'longhaul status',
    'end',
  ]);
  expect(checks.find(({ what }) => what === 'scan')?.seen).toBe('1 files through queue and worker');
}, 120_000);

it('variables and durations of the file are read as compose reads them', () => {
  const of = (text: string) => `\${${text}}`;
  expect(interpolated(`${of('A:-.')}:/w ${of('A')} ${of('B:-x')}`, { B: 'b' })).toBe('.:/w  b');
  expect([durationMs('90s'), durationMs('2m')]).toEqual([90_000, 120_000]);
  expect(() => durationMs('soon')).toThrow('expected a duration');
});
