/** Reads Python's project files: pyproject.toml (PEP 621, PEP 735, Poetry, uv, PDM), setup.cfg and Pipfile. */
import { entriesAt, isTable, listAt, type Table, textAt, textsAt, valueAt } from '../formats/data.js';
import { createPlaceFinder, type PlaceFinder } from '../formats/place-finder.js';
import { shortLines } from '../formats/short-lines.js';
import { parseToml } from '../formats/toml.js';
import { type Declared, type Facts, facts, type Scope, type Source } from './dependency.js';
import { parseRequirement } from './pip.js';

/** Names of extras and groups that hold what development needs. */
const DEV_GROUP =
  /^(?:dev|develop|development|test|tests|testing|lint|docs?|ci|typing|mypy|bench|qa|checks?)(?:[-_].*)?$/i;

/** Collects requirements, with what lies in a folder counted apart. */
function createCollector(places: PlaceFinder) {
  const declared: Declared[] = [];
  let local = 0;
  return {
    requirement(text: string, scope: Scope, section: string): void {
      const found = parseRequirement(text);
      if (found !== undefined) declared.push({ ...found, scope, line: places.line(nameOn(text), section) });
    },
    table(name: string, wanted: unknown, need: { scope: Scope; section: string }): void {
      if (name.toLowerCase() === 'python') return;
      const options = listOf(wanted)[0];
      if (valueAt(options, 'path') !== undefined || valueAt(options, 'workspace') === true) {
        local += 1;
        return;
      }
      const range = textAt({ options }, 'options') ?? textAt(options, 'version') ?? textAt(options, 'git');
      const scope = valueAt(options, 'optional') === true && need.scope === 'runtime' ? 'optional' : need.scope;
      const version = range === undefined ? undefined : pinned(range);
      declared.push({
        name,
        range: range === '*' ? undefined : range,
        version,
        scope,
        line: places.line(name, need.section),
      });
    },
    facts: () => facts({ declared, local }),
  };
}

function nameOn(text: string): string {
  return /^[A-Za-z0-9._-]+/.exec(text)?.[0] ?? text;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** `==1.2` pins everywhere; a bare `1.2` pins for Poetry. */
function pinned(range: string): string | undefined {
  return /^(?:==)?\s*(\d[\w.!+-]*)$/.exec(range)?.[1];
}

/** Reads pyproject.toml in all its dialects at once: a file keeps to one as a rule. */
export function readPyproject({ text }: Source): Facts {
  const project = parseToml(text);
  const collect = createCollector(createPlaceFinder(text));
  const sources = new Set(
    entriesAt(project, 'tool', 'uv', 'sources')
      .filter(([, source]) => valueAt(source, 'path') !== undefined || valueAt(source, 'workspace') === true)
      .map(([name]) => name.toLowerCase()),
  );
  const add = (items: readonly string[], scope: Scope, section: string) => {
    for (const item of items) if (!sources.has(nameOn(item).toLowerCase())) collect.requirement(item, scope, section);
  };
  add(textsAt(project, 'project', 'dependencies'), 'runtime', 'dependencies');
  for (const [extra] of entriesAt(project, 'project', 'optional-dependencies')) {
    const scope = DEV_GROUP.test(extra) ? 'dev' : 'optional';
    add(textsAt(project, 'project', 'optional-dependencies', extra), scope, extra);
  }
  for (const group of Object.keys(groupsOf(project))) add(textsAt(project, 'dependency-groups', group), 'dev', group);
  add(textsAt(project, 'build-system', 'requires'), 'dev', 'build-system');
  add(textsAt(project, 'tool', 'uv', 'dev-dependencies'), 'dev', 'dev-dependencies');
  for (const [group] of entriesAt(project, 'tool', 'pdm', 'dev-dependencies')) {
    add(textsAt(project, 'tool', 'pdm', 'dev-dependencies', group), 'dev', group);
  }
  readPoetryTables(project, collect);
  const { declared, local } = collect.facts();
  return facts({ declared, local: local + sources.size });
}

function groupsOf(project: Table): Table {
  const groups = valueAt(project, 'dependency-groups');
  return isTable(groups) ? groups : {};
}

function readPoetryTables(project: Table, collect: ReturnType<typeof createCollector>): void {
  const poetry = valueAt(project, 'tool', 'poetry');
  const read = (entries: readonly [string, unknown][], scope: Scope, section: string) => {
    for (const [name, wanted] of entries) collect.table(name, wanted, { scope, section });
  };
  read(entriesAt(poetry, 'dependencies'), 'runtime', 'tool.poetry.dependencies');
  read(entriesAt(poetry, 'dev-dependencies'), 'dev', 'tool.poetry.dev-dependencies');
  for (const [group, settings] of entriesAt(poetry, 'group')) {
    const scope = valueAt(settings, 'optional') === true && !DEV_GROUP.test(group) ? 'optional' : groupScope(group);
    read(entriesAt(settings, 'dependencies'), scope, `tool.poetry.group.${group}.dependencies`);
  }
}

function groupScope(group: string): Scope {
  return group === 'main' ? 'runtime' : 'dev';
}

/** Reads Pipfile. */
export function readPipfile({ text }: Source): Facts {
  const pipfile = parseToml(text);
  const collect = createCollector(createPlaceFinder(text));
  const sections: readonly (readonly [string, Scope])[] = [
    ['packages', 'runtime'],
    ['dev-packages', 'dev'],
  ];
  for (const [section, scope] of sections) {
    for (const [name, wanted] of entriesAt(pipfile, section)) collect.table(name, wanted, { scope, section });
  }
  return collect.facts();
}

/** Reads setup.cfg: `install_requires`, `setup_requires`, `tests_require` and the extras. */
export function readSetupCfg({ text }: Source): Facts {
  const declared: Declared[] = [];
  let section = '';
  let key = '';
  shortLines(text).forEach((raw, index) => {
    const line = raw.replace(/(?:^|\s)[#;].*$/, '').trimEnd();
    const header = /^\[([^\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) {
      section = header.trim();
      key = '';
      return;
    }
    const pair = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(line);
    if (pair !== null) key = (pair[1] ?? '').toLowerCase();
    const scope = setupScope(section, key);
    const values = (pair === null ? line : (pair[2] ?? '')).trim();
    if (scope === undefined || values === '') return;
    const found = parseRequirement(values);
    if (found !== undefined) declared.push({ ...found, scope, line: index + 1 });
  });
  return facts({ declared });
}

function setupScope(section: string, key: string): Scope | undefined {
  if (section === 'options.extras_require' && key !== '') return DEV_GROUP.test(key) ? 'dev' : 'optional';
  if (section !== 'options') return undefined;
  const scopes: Readonly<Record<string, Scope>> = {
    install_requires: 'runtime',
    setup_requires: 'dev',
    tests_require: 'dev',
  };
  return Object.hasOwn(scopes, key) ? scopes[key] : undefined;
}

/** The names in a list of requirements, or of tables with a `name`. */
export function requirementNames(value: unknown, ...keys: readonly string[]): string[] {
  return listAt(value, ...keys).flatMap(
    (item) => textAt(item, 'name') ?? (typeof item === 'string' ? nameOn(item) : []),
  );
}
