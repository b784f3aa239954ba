/**
 * Bundles what `tsc` left in `dist/` into `bundle/`, the program that is shipped and started: `npm run build`.
 *
 * A worker is some 800 module files, and half of the time it takes to start goes into finding and opening them
 * (docs/decisions/0030). A program keeps its place: `dist/src/main.js` becomes `bundle/src/main.js`. `import.meta.url` in a
 * module of ours names that module's own place under `bundle/`, so that no source needs to know whether it is bundled.
 * What is opened rather than imported keeps its place too.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FROM = join(ROOT, 'dist');
const TO = join(ROOT, 'bundle');
const RULES = 'workers/analysis/';
const DAY_MS = 86_400_000;

/** What is started as a process or thread, or imported by others: these, and every `thread.js`. */
const NAMED = ['src/main.js', 'src/tool.js', 'src/embedded/guardian.js', 'workers/main.js', 'workers/beat-thread.js'];

/** Packages that find files of their own beside themselves, or are loaded only when a setting asks for them. */
const LEFT_OUT = ['jiti', 'web-tree-sitter', 'prom-client', '@bull-board/*', '@opentelemetry/*'];

/** Packages in CommonJS ask for Node's own modules by `require`, which modules do not have. */
const BANNER = `import { createRequire as requireBeside } from 'node:module';
const require = requireBeside(import.meta.url);`;

/** All files of `dist/`, relative to it. */
const compiled = readdirSync(FROM, { recursive: true, encoding: 'utf8' }).sort();
const programs = [...NAMED, ...compiled.filter((path) => path.endsWith('/thread.js'))];

/** All that is bundled lies in one folder, from which the place of a module is told. */
const places: Plugin = {
  name: 'places of modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(`${FROM}/`)) return undefined;
      const place = JSON.stringify(`../${relative(FROM, path)}`);
      const contents = readFileSync(path, 'utf8').replaceAll(
        /\bimport\.meta\.url\b/g,
        `new URL(${place}, import.meta.url).href`,
      );
      return { contents, loader: 'js' };
    });
  },
};

const { outputFiles, metafile } = await build({
  entryPoints: Object.fromEntries(programs.map((path) => [nameOf(path), join(FROM, path)])),
  outdir: join(TO, 'files'),
  write: false,
  metafile: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: LEFT_OUT,
  banner: { js: BANNER },
  plugins: [places],
  logLevel: 'warning',
});
refuseLatePackages(metafile);
// What is shared comes before what imports it, for whoever is started meanwhile.
const shared = ({ path }: { path: string }) => !programs.some((program) => path.endsWith(`/${nameOf(program)}.js`));
for (const file of [...outputFiles.filter(shared), ...outputFiles.filter((file) => !shared(file))])
  put(file.path, file.text);
for (const path of programs) putStub(path);
putOthers();
clear(new Set(outputFiles.map(({ path }) => path)));

function nameOf(path: string): string {
  return path.replace(/\.js$/, '').replaceAll('/', '.');
}

/** A package in CommonJS has no names any more when it is bundled and imported at run time, so none may be. */
function refuseLatePackages({ inputs }: Metafile): void {
  const late = Object.values(inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind, external, path }) => kind === 'dynamic-import' && !external && inputs[path]?.format === 'cjs')
    .map(({ path }) => path);
  if (late.length > 0) throw new Error(`Imported at run time, so it must be in LEFT_OUT: ${late.join(', ')}`);
}

/** A program at its module's place: one line that loads what was bundled. */
function putStub(path: string): void {
  const place = join(TO, path);
  const bundled = relative(dirname(place), join(TO, 'files', `${nameOf(path)}.js`));
  const shebang = path === 'src/main.js' ? '#!/usr/bin/env node\n' : '';
  put(place, `${shebang}export * from '${bundled}';\n`);
  if (shebang !== '') chmodSync(place, 0o755);
}

/** Files that modules open beside them; and the rules by which files are counted, which workers name by a digest of them. */
function putOthers(): void {
  const folders = new Map<string, Hash>();
  for (const path of compiled) {
    const place = join(FROM, path);
    if (path.endsWith('.wasm')) put(join(TO, path), readFileSync(place));
    if (!path.startsWith(RULES) || !path.endsWith('.js')) continue;
    const hash = folders.get(dirname(path)) ?? createHash('sha256');
    folders.set(dirname(path), hash.update(`${path}\n`).update(readFileSync(place)));
  }
  for (const [folder, hash] of folders) put(join(TO, folder, 'digest.js'), `// ${hash.digest('base64url')}\n`);
}

/** Whole or not at all, and only if it is another text: processes of an earlier build may run. */
function put(path: string, content: string | Buffer): void {
  if (existsSync(path) && Buffer.compare(readFileSync(path), Buffer.from(content)) === 0) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, content);
  renameSync(`${path}.${process.pid}`, path);
}

/** Removes what earlier builds left, but for the last day's: a process of theirs may still load a part of it. */
function clear(current: ReadonlySet<string>): void {
  const folder = join(TO, 'files');
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!current.has(path) && statSync(path).mtimeMs < Date.now() - DAY_MS) rmSync(path, { force: true });
  }
}
