/** Reads Maven's pom.xml with its parents as far as they are in the tree. */

import type { Problem } from '../formats/problem.js';
import { folderOf, joinWithin } from '../formats/tree-path.js';
import { elementsAt, elementText, parseXml, type XmlElement } from '../formats/xml.js';
import { type Declared, type Facts, facts, type Scope, type Source } from './dependency.js';

/** Deeper chains of parents, and rings of them, are cut off here. */
const MOST_PARENTS = 20;
/** How often a property may name another. */
const MOST_ROUNDS = 10;
const PROPERTY = /\$\{([^${}]+)\}/g;

/** `import` is no dependency but a list of versions, held elsewhere. */
const SCOPES: Readonly<Record<string, Scope>> = {
  compile: 'runtime',
  runtime: 'runtime',
  system: 'runtime',
  provided: 'peer',
  test: 'dev',
};

/** A pom and those it inherits from, nearest first. */
interface Lineage {
  readonly poms: readonly XmlElement[];
  readonly problems: readonly Omit<Problem, 'path'>[];
}

/** Reads a pom: dependencies, those of its profiles too, with properties and managed versions filled in. Plugins are left out. */
export function readPom(source: Source): Facts {
  const pom = parseXml(source.text);
  const { poms, problems } = findLineage(source, pom);
  const properties = readProperties(poms);
  const fill = (text: string | undefined) => (text === undefined ? undefined : filled(text, properties));
  const managed = readManaged(poms, fill);
  const declared: Declared[] = [];
  const inherited = poms.slice(1).flatMap((parent) => elementsAt(parent, 'dependencies', 'dependency'));
  const own = [
    ...elementsAt(pom, 'dependencies', 'dependency'),
    ...elementsAt(pom, 'profiles', 'profile', 'dependencies', 'dependency'),
  ];
  for (const dependency of [...own, ...inherited]) {
    const name = coordinates(dependency, fill);
    if (name === undefined) continue;
    const manages = managed.get(name);
    const range = fill(elementText(dependency, 'version')) ?? manages?.version;
    const stated = fill(elementText(dependency, 'scope')) ?? manages?.scope ?? 'compile';
    const optional = elementText(dependency, 'optional') === 'true';
    const scope = optional ? 'optional' : Object.hasOwn(SCOPES, stated) ? (SCOPES[stated] ?? 'runtime') : 'runtime';
    const line = own.includes(dependency) ? dependency.line : elementsAt(pom, 'parent')[0]?.line;
    declared.push({ name, range, version: pinned(range), scope, line });
  }
  const provides = [properties.get('project.groupId'), properties.get('project.artifactId')];
  return facts({ declared, problems, provides: provides.includes(undefined) ? [] : [provides.join(':')] });
}

function findLineage({ path, sibling }: Source, pom: XmlElement): Lineage {
  const poms = [pom];
  const seen = new Set([path]);
  let at = path;
  for (let child = pom; poms.length <= MOST_PARENTS; ) {
    const [parent] = elementsAt(child, 'parent');
    if (parent === undefined) break;
    const [stated] = elementsAt(parent, 'relativePath');
    const relative = stated === undefined ? '../pom.xml' : stated.text;
    if (relative === '') break;
    const target = joinWithin(folderOf(at), relative);
    if (target === undefined) {
      // The default path commonly leads out of a tree whose parent comes from a repository.
      if (stated === undefined) break;
      return {
        poms,
        problems: [{ line: parent.line, message: `The parent '${relative}' is out of the tree and was not read.` }],
      };
    }
    const found = readParent(target, sibling);
    if (found === undefined || seen.has(found.path)) break;
    seen.add(found.path);
    poms.push(found.pom);
    child = found.pom;
    at = found.path;
  }
  return { poms, problems: [] };
}

/** A relative path may name the pom or its folder. A parent that does not parse is named where it is read itself. */
function readParent(target: string, sibling: Source['sibling']): { path: string; pom: XmlElement } | undefined {
  for (const path of [target, target === '' ? 'pom.xml' : `${target}/pom.xml`]) {
    const text = sibling(path);
    if (text === undefined) continue;
    try {
      return { path, pom: parseXml(text) };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** The properties in force: a child's win over its parents', coordinates are inherited. */
function readProperties(poms: readonly XmlElement[]): Map<string, string> {
  const properties = new Map<string, string>();
  for (const pom of [...poms].reverse()) {
    for (const { children } of elementsAt(pom, 'properties')) {
      for (const { name, text } of children) properties.set(name, text);
    }
    const [parent] = elementsAt(pom, 'parent');
    for (const key of ['groupId', 'version', 'artifactId']) {
      const above = parent === undefined ? undefined : elementText(parent, key);
      const value = elementText(pom, key) ?? (key === 'artifactId' ? undefined : above);
      if (above !== undefined) properties.set(`project.parent.${key}`, above).set(`parent.${key}`, above);
      if (value !== undefined) properties.set(`project.${key}`, value).set(`pom.${key}`, value).set(key, value);
    }
  }
  return properties;
}

/** Fills in properties; one that is not known stays as it is written. The length is bounded, should values grow each other. */
function filled(text: string, properties: ReadonlyMap<string, string>): string {
  let result = text;
  for (let round = 0; round < MOST_ROUNDS && result.includes('${') && result.length < 1000; round++) {
    const next = result.replace(PROPERTY, (whole, name: string) => properties.get(name.trim()) ?? whole);
    if (next === result) break;
    result = next;
  }
  return result.slice(0, 1000);
}

function readManaged(poms: readonly XmlElement[], fill: (text: string | undefined) => string | undefined) {
  const managed = new Map<string, { version: string | undefined; scope: string | undefined }>();
  for (const pom of [...poms].reverse()) {
    for (const dependency of elementsAt(pom, 'dependencyManagement', 'dependencies', 'dependency')) {
      const name = coordinates(dependency, fill);
      const scope = fill(elementText(dependency, 'scope'));
      if (name === undefined || scope === 'import') continue;
      managed.set(name, { version: fill(elementText(dependency, 'version')), scope });
    }
  }
  return managed;
}

function coordinates(
  dependency: XmlElement,
  fill: (text: string | undefined) => string | undefined,
): string | undefined {
  const group = fill(elementText(dependency, 'groupId'));
  const artifact = fill(elementText(dependency, 'artifactId'));
  return group === undefined || artifact === undefined ? undefined : `${group}:${artifact}`;
}

/** A plain version is what Maven takes; a range or an unknown property is none. */
function pinned(range: string | undefined): string | undefined {
  return /^\[([^,[\]()]+)\]$/.exec(range ?? '')?.[1] ?? /^[^[\](),${}\s]+$/.exec(range ?? '')?.[0];
}
