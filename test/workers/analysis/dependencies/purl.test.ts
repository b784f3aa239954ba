/** Package URLs are written as the examples of the package URL specification have them. */
import { describe, expect, it } from 'vitest';
import type { Ecosystem } from '../../../../workers/analysis/dependencies/dependency.js';
import { nameKey, packageUrl } from '../../../../workers/analysis/dependencies/purl.js';

/** From the specification's type definitions and its test suite, without qualifiers and subpaths, which no manifest yields. */
const EXAMPLES: readonly (readonly [ecosystem: Ecosystem, name: string, version: string, purl: string])[] = [
  ['npm', 'foobar', '12.3.1', 'pkg:npm/foobar@12.3.1'],
  ['npm', '@angular/animation', '12.3.1', 'pkg:npm/%40angular/animation@12.3.1'],
  ['pypi', 'Django_Allauth', '12.23', 'pkg:pypi/django-allauth@12.23'],
  ['pypi', 'zope.interface', '5.0', 'pkg:pypi/zope-interface@5.0'],
  [
    'golang',
    'github.com/Gorilla/context',
    '234fd47e07d1004f0aed9c',
    'pkg:golang/github.com/gorilla/context@234fd47e07d1004f0aed9c',
  ],
  ['golang', 'google.golang.org/genproto', 'abcdedf', 'pkg:golang/google.golang.org/genproto@abcdedf'],
  ['maven', 'org.apache.commons:io', '1.3.4', 'pkg:maven/org.apache.commons/io@1.3.4'],
  ['cargo', 'structopt', '0.3.11', 'pkg:cargo/structopt@0.3.11'],
  ['gem', 'ruby-advisory-db-check', '0.12.4', 'pkg:gem/ruby-advisory-db-check@0.12.4'],
  ['composer', 'Laravel/Laravel', '5.5.0', 'pkg:composer/laravel/laravel@5.5.0'],
  ['nuget', 'EnterpriseLibrary.Common', '6.0.1304', 'pkg:nuget/EnterpriseLibrary.Common@6.0.1304'],
];

describe('a package URL', () => {
  it.each(EXAMPLES)('of %s %s %s is as published', (ecosystem, name, version, purl) => {
    expect(packageUrl(ecosystem, name, version)).toBe(purl);
  });

  it('has no version where none is known, and is none without a name', () => {
    expect(packageUrl('cargo', 'rand')).toBe('pkg:cargo/rand');
    expect(packageUrl('npm', ' ')).toBeUndefined();
    expect(packageUrl('maven', 'group:')).toBeUndefined();
  });
});

it('spellings of one name meet', () => {
  expect(nameKey('pypi', 'Typing_Extensions')).toBe(nameKey('pypi', 'typing-extensions'));
  expect(nameKey('nuget', 'Newtonsoft.Json')).toBe(nameKey('nuget', 'newtonsoft.json'));
  expect(nameKey('npm', '@a/b')).not.toBe(nameKey('npm', 'b'));
});
