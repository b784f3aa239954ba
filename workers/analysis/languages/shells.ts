/** Shells, command languages and the small tools spoken beside them. */
import { double, doubledDouble, hashed, hashQuoted, longDouble, longSingle, shell, spacedHash } from './families.js';
import type { Language } from './language.js';

const powershell = {
  line: [{ mark: '#', notAfter: '`' }],
  block: [{ open: '<#', close: '#>' }],
  text: [
    { open: '@"', close: '"@', multiline: true, closePlace: 'column0' as const },
    { open: "@'", close: "'@", multiline: true, closePlace: 'column0' as const },
    { open: '"', close: '"', escape: '`', doubled: true, multiline: true },
    { open: "'", close: "'", doubled: true, multiline: true },
  ],
};
const tcl = {
  line: [
    { mark: '#', place: 'indent' as const, continues: true },
    { mark: ';#', continues: true },
  ],
  text: [longDouble],
  escapes: '\\',
};
const fish = { ...hashQuoted, line: [spacedHash], text: [longDouble, longSingle], escapes: '\\' };

/** The rows. */
export const shells: readonly Language[] = [
  {
    name: 'Shell',
    extensions: 'sh bats command ash dash tool bashrc profile',
    filenames: '.bash_profile .bashrc .profile .bash_aliases .bash_logout .envrc bashrc APKBUILD gradlew configure.in',
    interpreters: 'sh ash dash busybox',
    syntax: shell,
  },
  { name: 'Bash', extensions: 'bash', interpreters: 'bash bats', syntax: shell },
  {
    name: 'Zsh',
    extensions: 'zsh',
    filenames: '.zshrc .zprofile .zshenv .zlogin zshrc',
    interpreters: 'zsh',
    syntax: shell,
  },
  { name: 'Korn Shell', extensions: 'ksh', interpreters: 'ksh mksh pdksh rksh', syntax: shell },
  { name: 'C Shell', extensions: 'csh tcsh', interpreters: 'csh tcsh', syntax: shell },
  { name: 'Fish', extensions: 'fish', interpreters: 'fish', syntax: fish },
  {
    name: 'Elvish',
    extensions: 'elv',
    interpreters: 'elvish',
    syntax: { line: [spacedHash], text: [longDouble, { open: "'", close: "'", doubled: true, multiline: true }] },
  },
  {
    name: 'Nushell',
    extensions: 'nu',
    interpreters: 'nu',
    syntax: {
      line: [spacedHash],
      text: [longDouble, { open: "'", close: "'", multiline: true }, { open: '`', close: '`' }],
    },
  },
  { name: 'NUON', extensions: 'nuon', syntax: hashQuoted },
  { name: 'PKGBUILD', filenames: 'PKGBUILD', syntax: shell },
  { name: 'Ebuild', extensions: 'ebuild eclass', syntax: shell },
  { name: 'BitBake', extensions: 'bb bbclass bbappend', syntax: { line: ['#'], text: [longDouble] } },
  { name: 'PowerShell', extensions: 'ps1 psm1 psd1', interpreters: 'pwsh powershell', syntax: powershell },
  {
    name: 'Batch',
    extensions: 'bat cmd btm',
    syntax: {
      line: [
        { mark: 'rem', place: 'word', ignoreCase: true },
        { mark: '@rem', place: 'indent', ignoreCase: true },
        { mark: '::', place: 'indent' },
      ],
    },
  },
  { name: 'Tcl', extensions: 'tcl tk tm adp sdc xdc itk', interpreters: 'tclsh wish expect', syntax: tcl },
  { name: 'Expect', extensions: 'exp', syntax: tcl },
  {
    name: 'AWK',
    extensions: 'awk gawk mawk nawk auk',
    interpreters: 'awk gawk mawk nawk',
    syntax: { line: ['#'], text: [double], regex: 'script' },
  },
  { name: 'sed', extensions: 'sed', interpreters: 'sed', syntax: hashed },
  { name: 'jq', extensions: 'jq', interpreters: 'jq', syntax: { line: ['#'], text: [double] } },
  {
    name: 'AppleScript',
    extensions: 'applescript scpt',
    interpreters: 'osascript',
    syntax: { line: ['--', '#'], block: [{ open: '(*', close: '*)', nests: true }], text: [longDouble] },
  },
  { name: 'AutoHotkey', extensions: 'ahk', syntax: { line: [';'], block: [{ open: '/*', close: '*/' }] } },
  {
    name: 'AutoIt',
    extensions: 'au3',
    syntax: {
      line: [';'],
      block: [{ open: '#cs', close: '#ce', place: 'indent', closePlace: 'indent' }],
      text: [doubledDouble],
    },
  },
  {
    name: 'Vim Script',
    extensions: 'vim vimrc',
    filenames: '.vimrc _vimrc vimrc .gvimrc',
    syntax: { line: [{ mark: '"', place: 'indent' }], text: [{ open: "'", close: "'", doubled: true }] },
  },
];
