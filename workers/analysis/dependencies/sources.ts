/** The table of files that declare or lock dependencies: by which names they go and who reads them. */
import { baseName } from '../paths.js';
import { readGemfile, readGemfileLock, readGemspec } from './bundler.js';
import { readCargoLock, readCargoToml } from './cargo.js';
import { readComposerJson, readComposerLock } from './composer.js';
import type { Ecosystem, FactsReader } from './dependency.js';
import { readGoMod, readGoSum } from './go.js';
import { readGradleBuild, readGradleLock, readVersionCatalog } from './gradle.js';
import { readPom } from './maven.js';
import { readPackageJson, readPackageLock } from './npm.js';
import { readCentralPackages, readMsbuildProject, readNugetLock, readPackagesConfig } from './nuget.js';
import { REQUIREMENTS_PATH, readRequirements } from './pip.js';
import { readPnpmLock } from './pnpm.js';
import { readPipfile, readPyproject, readSetupCfg } from './python.js';
import { readPipfileLock, readPoetryLock, readUvLock } from './python-locks.js';
import { readYarnLock } from './yarn.js';

/** One kind of file. */
export interface SourceFormat {
  readonly format: string;
  readonly ecosystem: Ecosystem;
  readonly kind: 'manifest' | 'lock';
  readonly read: FactsReader;
}

type Row = readonly [format: string, ecosystem: Ecosystem, kind: 'manifest' | 'lock', read: FactsReader];

/** By exact base name. */
const BY_NAME: Readonly<Record<string, Row>> = {
  'package.json': ['package.json', 'npm', 'manifest', readPackageJson],
  'package-lock.json': ['package-lock', 'npm', 'lock', readPackageLock],
  'npm-shrinkwrap.json': ['npm-shrinkwrap', 'npm', 'lock', readPackageLock],
  'pnpm-lock.yaml': ['pnpm-lock', 'npm', 'lock', readPnpmLock],
  'yarn.lock': ['yarn.lock', 'npm', 'lock', readYarnLock],
  'pyproject.toml': ['pyproject', 'pypi', 'manifest', readPyproject],
  'setup.cfg': ['setup.cfg', 'pypi', 'manifest', readSetupCfg],
  Pipfile: ['Pipfile', 'pypi', 'manifest', readPipfile],
  'Pipfile.lock': ['Pipfile.lock', 'pypi', 'lock', readPipfileLock],
  'poetry.lock': ['poetry.lock', 'pypi', 'lock', readPoetryLock],
  'uv.lock': ['uv.lock', 'pypi', 'lock', readUvLock],
  'go.mod': ['go.mod', 'golang', 'manifest', readGoMod],
  'go.sum': ['go.sum', 'golang', 'lock', readGoSum],
  'Cargo.toml': ['Cargo.toml', 'cargo', 'manifest', readCargoToml],
  'Cargo.lock': ['Cargo.lock', 'cargo', 'lock', readCargoLock],
  'pom.xml': ['pom.xml', 'maven', 'manifest', readPom],
  'build.gradle': ['build.gradle', 'maven', 'manifest', readGradleBuild],
  'build.gradle.kts': ['build.gradle', 'maven', 'manifest', readGradleBuild],
  'libs.versions.toml': ['version-catalog', 'maven', 'manifest', readVersionCatalog],
  'gradle.lockfile': ['gradle.lockfile', 'maven', 'lock', readGradleLock],
  'buildscript-gradle.lockfile': ['gradle.lockfile', 'maven', 'lock', readGradleLock],
  Gemfile: ['Gemfile', 'gem', 'manifest', readGemfile],
  'gems.rb': ['Gemfile', 'gem', 'manifest', readGemfile],
  'Gemfile.lock': ['Gemfile.lock', 'gem', 'lock', readGemfileLock],
  'gems.locked': ['Gemfile.lock', 'gem', 'lock', readGemfileLock],
  'composer.json': ['composer.json', 'composer', 'manifest', readComposerJson],
  'composer.lock': ['composer.lock', 'composer', 'lock', readComposerLock],
  'Directory.Packages.props': ['Directory.Packages.props', 'nuget', 'manifest', readCentralPackages],
  'Directory.Build.props': ['msbuild', 'nuget', 'manifest', readMsbuildProject],
  'Directory.Build.targets': ['msbuild', 'nuget', 'manifest', readMsbuildProject],
  'packages.config': ['packages.config', 'nuget', 'manifest', readPackagesConfig],
  'packages.lock.json': ['packages.lock', 'nuget', 'lock', readNugetLock],
};

/** By a pattern of the path, where no exact name fits. */
const BY_PATTERN: readonly (readonly [pattern: RegExp, row: Row])[] = [
  [REQUIREMENTS_PATH, ['requirements', 'pypi', 'manifest', readRequirements]],
  [/\.(?:cs|fs|vb)proj$/i, ['msbuild', 'nuget', 'manifest', readMsbuildProject]],
  [/\.gemspec$/, ['gemspec', 'gem', 'manifest', readGemspec]],
];

/** What a path of the tree is read as; undefined for the great many that say nothing of dependencies. */
export function sourceFormat(path: string): SourceFormat | undefined {
  const name = baseName(path);
  const row = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : BY_PATTERN.find(([pattern]) => pattern.test(path))?.[1];
  if (row === undefined) return undefined;
  const [format, ecosystem, kind, read] = row;
  return { format, ecosystem, kind, read };
}
