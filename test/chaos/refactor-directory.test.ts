/** Kills the worker of `refactor_directory` with SIGKILL while it writes: every file is old or new, and nothing is lost or asked twice. */
import { watch } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/gate.js';
import { init } from '../support/http-wire.js';
import { WILLING } from '../support/questions-wire.js';
import { askedFor, type RefactorRun, refactor25 } from '../support/refactor-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const FILES = 40;
const nameOf = (index: number) => `f${String(index).padStart(2, '0')}.js`;
const oldText = (index: number) =>
  `function add${index}(a, b) {\n  const sum = a + b;\n  return sum;\n}\nmodule.exports = add${index};\n`;
const newText = (index: number) => `function add${index}(a, b) {\n  return a + b;\n}\nmodule.exports = add${index};\n`;
const NAMES = Array.from({ length: FILES }, (_, index) => nameOf(index));

let site: Site;
let server: HttpServer;
beforeEach(async () => {
  site = await openSite();
  const env = { LONGHAUL_SESSION_OUTPUT_TOKENS: '1000000', LONGHAUL_JOB_OUTPUT_TOKENS: '1000000' };
  server = await site.http({ env });
});
afterEach(() => site.close());

async function plant(name: string): Promise<string> {
  const folder = join(site.root, name);
  await mkdir(folder);
  for (const [index, file] of NAMES.entries()) await writeFile(join(folder, file), oldText(index));
  return folder;
}

const texts = (folder: string) => Promise.all(NAMES.map((name) => readFile(join(folder, name), 'utf8')));

async function refactor(folder: string): Promise<RefactorRun> {
  return refactor25(
    await init(server, WILLING),
    { rel_path: '.' },
    {
      roots: { roots: [{ uri: pathToFileURL(folder).href }] },
      forms: [{ action: 'accept', content: { style: 'safe', dry_run: false, max_files: 50 } }],
      model: (path) => newText(NAMES.indexOf(path)),
    },
  );
}

/** What is told of a run, without what differs from job to job. */
function toldOf({ result }: RefactorRun, folder: string): unknown {
  const { job_id: id, ...rest } = { ...result.structuredContent };
  return JSON.parse(JSON.stringify(rest).replaceAll(String(id), 'JOB').replaceAll(folder, 'FOLDER'));
}

it('a worker killed again and again while it writes leaves every file old or new, and the report of an undisturbed run', async () => {
  const calm = await plant('calm');
  const undisturbed = await refactor(calm);
  const folder = await plant('storm');
  const seen: string[] = [];
  const killed: number[] = [];
  const mixed: string[] = [];
  // Known from the log without a look: a look into /proc may take as long as it takes to write all that is left.
  const worker = () => Number(server.log.findLast(({ msg }) => msg === 'taking jobs')?.pid);
  // The first write, one in the middle and one near the end each cost the worker its life.
  const watcher = watch(folder, async (_event, name) => {
    if (name === null || !NAMES.includes(name) || seen.includes(name)) return;
    seen.push(name);
    if (![1, 15, 30].includes(seen.length)) return;
    const pid = await until(worker, (one) => !killed.includes(one), { what: 'the next worker', limitMs: 60_000 });
    killed.push(pid);
    process.kill(pid, 'SIGKILL');
    const found = await texts(folder);
    mixed.push(...found.filter((text, index) => text !== oldText(index) && text !== newText(index)));
  });
  onTestFinished(() => watcher.close());
  const run = await refactor(folder);
  // What was written last may be heard of only now.
  await until(
    () => killed.length,
    (count) => count === 3,
    { what: 'three deaths', limitMs: 60_000 },
  );
  expect(mixed).toEqual([]);
  expect(await texts(folder)).toEqual(NAMES.map((_, index) => newText(index)));
  expect(toldOf(run, folder)).toEqual(toldOf(undisturbed, calm));
  expect(toldOf(run, folder)).toMatchObject({ status: 'complete', backup: { files: FILES } });
  expect(askedFor(run, 'sampling/createMessage')).toHaveLength(FILES);
  expect(askedFor(run, 'elicitation/create')).toHaveLength(1);
  const kept = String(Object(run.result.structuredContent?.backup).folder);
  expect(await texts(join(kept, 'files'))).toEqual(NAMES.map((_, index) => oldText(index)));
  expect((await readdir(folder)).sort()).toEqual(['.longhaul-backup', ...NAMES]);
});
