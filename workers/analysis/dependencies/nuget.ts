/** Reads NuGet's references in MSBuild projects, central versions, packages.config and packages.lock.json. */
import { entriesAt, textAt } from '../formats/data.js';
import { parseJson } from '../formats/json.js';
import { foldersUpward } from '../formats/tree-path.js';
import { attribute, elementsAt, elementText, parseXml, type XmlElement } from '../formats/xml.js';
import { type Declared, type Facts, facts, type Locked, type Source } from './dependency.js';

const CENTRAL = 'Directory.Packages.props';
const SHARED = [CENTRAL, 'Directory.Build.props'];
/** How often a property may name another, and how long a value may grow of it. */
const MOST_ROUNDS = 10;
const MOST_CHARACTERS = 1000;

/** Reads a project file or Directory.Build.props: references, with versions that are kept centrally filled in. */
export function readMsbuildProject(source: Source): Facts {
  const project = parseXml(source.text);
  const shared = sharedFiles(source);
  const properties = readProperties([...shared.reverse(), project]);
  const central = readCentralVersions(shared, properties);
  const groups = itemGroups(project);
  const declared = groups
    .flatMap((group) => [...elementsAt(group, 'PackageReference'), ...elementsAt(group, 'GlobalPackageReference')])
    .flatMap((reference) => {
      const found = readReference(reference, properties);
      if (found === undefined) return [];
      return [found.range === undefined ? { ...found, ...central.get(found.name.toLowerCase()) } : found];
    });
  const local = groups.flatMap((group) => elementsAt(group, 'ProjectReference')).length;
  return facts({ declared, local });
}

/** Reads Directory.Packages.props: what it offers counts where no project is seen to take it. */
export function readCentralPackages(source: Source): Facts {
  const project = parseXml(source.text);
  const properties = readProperties([...sharedFiles(source).reverse(), project]);
  const groups = itemGroups(project);
  const offered = groups
    .flatMap((group) => elementsAt(group, 'PackageVersion'))
    .flatMap((reference) => readReference(reference, properties) ?? [])
    .map((found): Declared => ({ ...found, offered: true }));
  const global = groups
    .flatMap((group) => elementsAt(group, 'GlobalPackageReference'))
    .flatMap((reference) => readReference(reference, properties) ?? [])
    .map((found): Declared => ({ ...found, scope: 'dev' }));
  return facts({ declared: [...global, ...offered] });
}

/** Item groups stand at the top, in targets and in choices. */
function itemGroups(project: XmlElement): XmlElement[] {
  return [
    ...elementsAt(project, 'ItemGroup'),
    ...elementsAt(project, 'Target', 'ItemGroup'),
    ...elementsAt(project, 'Choose', 'When', 'ItemGroup'),
    ...elementsAt(project, 'Choose', 'Otherwise', 'ItemGroup'),
  ];
}

function readReference(reference: XmlElement, properties: ReadonlyMap<string, string>): Declared | undefined {
  const { attributes, line } = reference;
  const valueIn = (name: string) => attribute(attributes, name) ?? elementText(reference, name);
  const named = valueIn('Include') ?? valueIn('Update');
  if (named === undefined || named.trim() === '') return undefined;
  const stated = valueIn('VersionOverride') ?? valueIn('Version');
  const range = stated === undefined ? undefined : filled(stated, properties);
  const isDev = valueIn('PrivateAssets')?.toLowerCase() === 'all' || valueIn('DevelopmentDependency') === 'true';
  return {
    name: filled(named.trim(), properties),
    range,
    version: pinned(range),
    scope: isDev ? 'dev' : 'runtime',
    line,
  };
}

/** A plain version is the lowest that NuGet takes, hence what it takes; so is `[1.2.3]`. A range or a star is none. */
function pinned(range: string | undefined): string | undefined {
  return /^\[\s*([\w.+-]+)\s*\]$/.exec(range ?? '')?.[1] ?? /^\d[\w.+-]*$/.exec(range ?? '')?.[0];
}

/** The nearest of each shared file upward, as MSBuild takes them. One that does not parse is named where it is read. */
function sharedFiles({ path, folder, sibling }: Source): XmlElement[] {
  return SHARED.flatMap((name) => {
    for (const above of foldersUpward(folder)) {
      const candidate = above === '' ? name : `${above}/${name}`;
      const text = candidate === path ? undefined : sibling(candidate);
      if (text === undefined) continue;
      try {
        return [parseXml(text)];
      } catch {
        return [];
      }
    }
    return [];
  });
}

function readCentralVersions(shared: readonly XmlElement[], properties: ReadonlyMap<string, string>) {
  const central = new Map<string, Pick<Declared, 'range' | 'version'>>();
  for (const reference of shared.flatMap(itemGroups).flatMap((group) => elementsAt(group, 'PackageVersion'))) {
    const found = readReference(reference, properties);
    if (found !== undefined) central.set(found.name.toLowerCase(), { range: found.range, version: found.version });
  }
  return central;
}

function readProperties(projects: readonly XmlElement[]): Map<string, string> {
  const groups = projects.flatMap((project) => elementsAt(project, 'PropertyGroup'));
  return new Map(groups.flatMap(({ children }) => children.map(({ name, text }) => [name, text] as const)));
}

function filled(text: string, properties: ReadonlyMap<string, string>): string {
  let result = text;
  for (let round = 0; round < MOST_ROUNDS && result.includes('$(') && result.length < MOST_CHARACTERS; round++) {
    result = result.replace(/\$\(([\w.]+)\)/g, (whole, name: string) => properties.get(name) ?? whole);
  }
  return result.slice(0, MOST_CHARACTERS);
}

/** Reads packages.config, which pins everything and does not say what needs what. */
export function readPackagesConfig({ text }: Source): Facts {
  const declared = elementsAt(parseXml(text), 'package').flatMap(({ attributes, line }): Declared[] => {
    const name = attribute(attributes, 'id');
    const version = attribute(attributes, 'version');
    const scope = attribute(attributes, 'developmentDependency') === 'true' ? 'dev' : 'runtime';
    return name === undefined ? [] : [{ name, range: version, version, scope, line }];
  });
  return facts({ declared });
}

/** Reads packages.lock.json: a list for each target framework, told apart as direct and transitive. */
export function readNugetLock({ text }: Source): Facts {
  const locked = new Map<string, Locked>();
  let local = 0;
  const frameworks = entriesAt(parseJson(text), 'dependencies').map(([, framework]) => framework);
  for (const framework of frameworks) {
    const resolved = new Map(
      entriesAt(framework).map(([name, entry]) => [name.toLowerCase(), textAt(entry, 'resolved')]),
    );
    for (const [name, entry] of entriesAt(framework)) {
      const version = textAt(entry, 'resolved');
      if (textAt(entry, 'type') === 'Project' || version === undefined) {
        local += 1;
        continue;
      }
      const needs = entriesAt(entry, 'dependencies').map(([needed]) => needed.toLowerCase());
      const id = `${name.toLowerCase()}@${version}`;
      const direct = textAt(entry, 'type') === 'Direct' || locked.get(id)?.direct === true;
      const requires = [
        ...needs.map((needed) => `${needed}@${resolved.get(needed) ?? ''}`),
        ...(locked.get(id)?.requires ?? []),
      ];
      locked.set(id, { id, name, version, direct, requires: [...new Set(requires)] });
    }
  }
  return facts({ locked: [...locked.values()], local });
}
