/** Reads Gradle's build files (Groovy and Kotlin) as text, version catalogs and lock files. */
import { entriesAt, type Table, textAt, valueAt } from '../formats/data.js';
import { createPlaceFinder } from '../formats/place-finder.js';
import { shortLines } from '../formats/short-lines.js';
import { parseToml } from '../formats/toml.js';
import { foldersUpward } from '../formats/tree-path.js';
import { type Declared, type Facts, facts, type Locked, type Scope, type Source } from './dependency.js';

const CATALOG = 'gradle/libs.versions.toml';
/** Configurations, plain or behind a source set's name: `implementation`, `testImplementation`, `debugApi`. */
const CONFIGURATION =
  '(?<configuration>(?:[a-z]\\w*)?(?:[iI]mplementation|[aA]pi|[cC]ompile(?:Only(?:Api)?|Classpath)?|[rR]untime(?:Only|Classpath)?|[aA]nnotationProcessor|[kK]apt|[kK]sp|[cC]lasspath|[dD]evelopmentOnly|[dD]esugaring))';
const WRAPPED =
  '(?:\\s{0,9}\\(?\\s{0,9}(?:platform|enforcedPlatform|testFixtures)\\s{0,9}\\(|\\s{0,9}\\(|\\s)\\s{0,99}';
const QUOTED = '(?:\'(?<single>[^\'\\n]*)\'|"(?<double>[^"\\n]*)")';
const TEXT_FORM = new RegExp(`\\b${CONFIGURATION}${WRAPPED}${QUOTED}`, 'g');
const MAP_FORM = new RegExp(`\\b${CONFIGURATION}${WRAPPED}(?<map>(?:group|name)\\s*[:=][^\\n)]*)`, 'g');
const CATALOG_FORM = new RegExp(`\\b${CONFIGURATION}${WRAPPED}libs\\.(?<accessor>[A-Za-z][\\w.]*)`, 'g');
const PROJECT_FORM = new RegExp(
  `\\b${CONFIGURATION}${WRAPPED}(?:project\\s*\\(|projects\\.|files\\s*\\(|fileTree\\s*\\()`,
  'g',
);
const KOTLIN_FORM = new RegExp(`\\b${CONFIGURATION}${WRAPPED}kotlin\\s*\\(\\s*${QUOTED}`, 'g');
const MAP_FIELD = /(group|name|version)\s*[:=]\s*(?:'([^']*)'|"([^"]*)")/g;
const VARIABLE =
  /\b(?:(?:def|val|var|const val|final String|String|set)\s+)?(?:ext\.|extra\[["'])?([A-Za-z_]\w*)(?:["']\])?\s*=\s*["']([^"'$\n]+)["']/g;

/** Reads build.gradle or build.gradle.kts. It is a program: what it computes is not seen, what it writes down is. */
export function readGradleBuild(source: Source): Facts {
  const code = withoutComments(shortLines(source.text).join('\n'));
  const variables = readVariables(source, code);
  const lineAt = createLineCounter(code);
  const declared: Declared[] = [];
  const add = (match: RegExpMatchArray, notation: string | undefined) => {
    const [group, artifact, version] =
      (notation ?? '')
        .split('@')[0]
        ?.split(':')
        .map((part) => filled(part, variables)) ?? [];
    if (!group || !artifact || /\s/.test(group)) return;
    const scope = scopeOf(match.groups?.configuration ?? '');
    declared.push({
      name: `${group}:${artifact}`,
      range: version || undefined,
      version: pinned(version),
      scope,
      line: lineAt(match.index ?? 0),
    });
  };
  for (const match of code.matchAll(TEXT_FORM)) add(match, match.groups?.single ?? match.groups?.double);
  for (const match of code.matchAll(MAP_FORM)) add(match, readMap(match.groups?.map ?? ''));
  for (const match of code.matchAll(KOTLIN_FORM)) {
    add(match, `org.jetbrains.kotlin:kotlin-${match.groups?.single ?? match.groups?.double ?? ''}`);
  }
  const offered = [...code.matchAll(CATALOG_FORM)];
  const catalog = offered.length > 0 ? findCatalog(source) : undefined;
  for (const match of offered) {
    for (const notation of catalog?.(match.groups?.accessor ?? '') ?? []) add(match, notation);
  }
  return facts({ declared, local: [...code.matchAll(PROJECT_FORM)].length });
}

function readMap(map: string): string {
  const fields = new Map<string, string>();
  for (const [, key = '', single, double] of map.matchAll(MAP_FIELD)) fields.set(key, single ?? double ?? '');
  return `${fields.get('group') ?? ''}:${fields.get('name') ?? ''}:${fields.get('version') ?? ''}`;
}

function scopeOf(configuration: string): Scope {
  if (/^(?:test|androidTest|integrationTest|functionalTest|jmh)/.test(configuration)) return 'dev';
  if (/(?:annotationProcessor|kapt|ksp|classpath|developmentOnly)$/i.test(configuration)) return 'dev';
  return /compileOnly(?:Api)?$/i.test(configuration) ? 'peer' : 'runtime';
}

/** A plain version is what Gradle starts from; one with `+`, a range or an unknown variable is none. */
function pinned(version: string | undefined): string | undefined {
  return /^[\w][\w.-]*$/.exec(version ?? '')?.[0];
}

/** Blanks comments out, keeping every line where it is; quoted text is passed over. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (whole, quoted: string | undefined) => (quoted !== undefined ? whole : whole.replace(/[^\n]/g, ' ')),
  );
}

/** Variables of the file itself and of the gradle.properties files above it, the nearest winning. */
function readVariables({ folder, sibling }: Source, code: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const above of foldersUpward(folder).reverse()) {
    const properties = sibling(above === '' ? 'gradle.properties' : `${above}/gradle.properties`) ?? '';
    for (const line of properties.split('\n')) {
      const at = line.search(/[=:]/);
      if (at > 0) variables.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
    }
  }
  for (const [, key = '', value = ''] of code.matchAll(VARIABLE)) variables.set(key, value);
  return variables;
}

function filled(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(
    /\$\{?(?:rootProject\.|project\.)?(?:ext\.|extra\[["'])?([A-Za-z_][\w.]*)(?:["']\])?\}?/g,
    (whole, name: string) => variables.get(name) ?? whole,
  );
}

function createLineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** The nearest catalog upward, asked by accessor; bundles yield all that is in them. A catalog that does not parse is named where it is read. */
function findCatalog({ folder, sibling }: Source): ((accessor: string) => string[]) | undefined {
  for (const above of foldersUpward(folder)) {
    const text = sibling(above === '' ? CATALOG : `${above}/${CATALOG}`);
    if (text === undefined) continue;
    try {
      return createCatalog(parseToml(text));
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function createCatalog(catalog: Table): (accessor: string) => string[] {
  const libraries = new Map(
    entriesAt(catalog, 'libraries').map(([alias, value]) => [accessorOf(alias), notationOf(catalog, value)]),
  );
  const bundles = new Map(entriesAt(catalog, 'bundles').map(([alias, value]) => [accessorOf(alias), value]));
  return (accessor) => {
    const plain = accessor.replace(/\.get$/, '');
    const bundle = plain.startsWith('bundles.') ? bundles.get(plain.slice('bundles.'.length)) : undefined;
    const aliases = Array.isArray(bundle) ? bundle.filter((item) => typeof item === 'string').map(accessorOf) : [plain];
    return aliases.flatMap((alias) => libraries.get(alias) ?? []);
  };
}

function accessorOf(alias: string): string {
  return alias.replace(/[-_]/g, '.');
}

function notationOf(catalog: Table, library: unknown): string {
  if (typeof library === 'string') return library;
  const module = textAt(library, 'module') ?? `${textAt(library, 'group') ?? ''}:${textAt(library, 'name') ?? ''}`;
  const reference = textAt(library, 'version', 'ref');
  const version = reference === undefined ? valueAt(library, 'version') : valueAt(catalog, 'versions', reference);
  return `${module}:${richVersion(version)}`;
}

/** A version is text or a table of `strictly`, `require` and `prefer`. */
function richVersion(version: unknown): string {
  if (typeof version === 'string') return version;
  return textAt(version, 'strictly') ?? textAt(version, 'require') ?? textAt(version, 'prefer') ?? '';
}

/** Reads a version catalog: what it offers counts where no build file is seen to take it. */
export function readVersionCatalog({ text }: Source): Facts {
  const catalog = parseToml(text);
  const places = createPlaceFinder(text);
  const declared = entriesAt(catalog, 'libraries').flatMap(([alias, library]): Declared[] => {
    const [group, artifact, version] = notationOf(catalog, library).split(':');
    if (!group || !artifact) return [];
    const line = places.line(alias, 'libraries');
    return [
      {
        name: `${group}:${artifact}`,
        range: version || undefined,
        version: pinned(version),
        scope: 'runtime',
        line,
        offered: true,
      },
    ];
  });
  return facts({ declared });
}

/** Reads gradle.lockfile and buildscript-gradle.lockfile: `group:name:version=configurations`. */
export function readGradleLock({ text }: Source): Facts {
  const locked: Locked[] = [];
  const problems: { line: number; message: string }[] = [];
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith('empty=')) return;
    const [, group, artifact, version, users = ''] = /^([^:=]+):([^:=]+):([^:=]+)=(.*)$/.exec(line) ?? [];
    if (group === undefined || artifact === undefined || version === undefined) {
      problems.push({ line: index + 1, message: `This is no locked module: '${line.slice(0, 80)}'.` });
      return;
    }
    const scopes = users.split(',').map(scopeOf);
    const scope = scopes.find((each) => each === 'runtime') ?? scopes[0] ?? 'runtime';
    locked.push({ id: `${group}:${artifact}:${version}`, name: `${group}:${artifact}`, version, scope });
  });
  return facts({ locked, problems });
}
