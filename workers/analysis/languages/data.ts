/** Data formats, configuration, build files and query languages. */
import {
  cLike,
  double,
  hashed,
  hashQuoted,
  longDouble,
  semicolons,
  shell,
  single,
  slashed,
  slashStar,
  spacedHash,
  sql,
} from './families.js';
import type { Language } from './language.js';

const hcl = { line: ['#', '//'], block: [slashStar], text: [double], heredoc: { mark: '<<', flags: '-' } };
const make = { line: [{ mark: '#', continues: true }], escapes: '\\$' };
const jsonc = { ...slashed, text: [double] };

/** The rows. */
export const data: readonly Language[] = [
  {
    name: 'JSON',
    extensions:
      'json avsc geojson gltf har ice jsonl ndjson mcmeta tfstate topojson webapp webmanifest yy.json yyp ipynb.json sarif json.example',
    filenames:
      '.arcconfig .htmlhintrc .tern-project .watchmanconfig composer.lock Pipfile.lock flake.lock .prettierrc .bowerrc',
  },
  { name: 'Jupyter Notebook', extensions: 'ipynb' },
  {
    name: 'JSON with Comments',
    extensions: 'jsonc code-workspace sublime-settings sublime-project code-snippets',
    filenames: '.eslintrc.json tsconfig.json jsconfig.json .babelrc .jscsrc .jshintrc .swcrc devcontainer.json',
    syntax: jsonc,
  },
  { name: 'JSON5', extensions: 'json5', syntax: { ...jsonc, text: [double, single] } },
  {
    name: 'Jsonnet',
    extensions: 'jsonnet libsonnet',
    syntax: {
      line: ['//', '#'],
      block: [slashStar],
      text: [{ open: '|||', close: '|||', multiline: true }, longDouble, { ...single, multiline: true }],
    },
  },
  { name: 'JSLT', extensions: 'jslt', syntax: { line: ['//'], text: [longDouble] } },
  {
    name: 'YAML',
    extensions: 'yml yaml mir reek rviz sublime-syntax syntax yaml-tmlanguage clang-format clangd',
    filenames: '.clang-format .clang-tidy .clangd .gemrc CITATION.cff glide.lock .prettierrc.yaml pixi.lock',
    syntax: { line: [spacedHash], scalars: true },
  },
  {
    name: 'TOML',
    extensions: 'toml',
    filenames: 'Cargo.lock Gopkg.lock Pipfile poetry.lock pdm.lock uv.lock',
    syntax: {
      line: ['#'],
      text: [
        { open: '"""', close: '"""', escape: '\\', multiline: true },
        { open: "'''", close: "'''", multiline: true },
        double,
        { open: "'", close: "'" },
      ],
    },
  },
  {
    name: 'INI',
    extensions: 'ini cfg dof lektorproject prefs pro.user url desktop service socket timer conf.ini inf.ini',
    filenames:
      '.editorconfig .gitconfig .npmrc .pylintrc pylintrc .flake8 .coveragerc setup.cfg tox.ini buildozer.spec .gitmodules',
    syntax: {
      line: [
        { mark: '#', place: 'indent' },
        { mark: ';', place: 'indent' },
      ],
    },
  },
  {
    name: 'Configuration',
    extensions: 'conf cnf config.in',
    filenames:
      '.gitattributes .gitignore .dockerignore .npmignore .eslintignore .prettierignore .mailmap .htaccess .yamllint .cocciconfig .get_maintainer.ignore',
    syntax: { line: [{ mark: '#', place: 'indent' }] },
  },
  {
    name: 'Properties',
    extensions: 'properties',
    syntax: {
      line: [
        { mark: '#', place: 'indent' },
        { mark: '!', place: 'indent' },
      ],
    },
  },
  {
    name: 'Dotenv',
    extensions: 'env',
    filenames: '.env .env.example .env.local .env.development .env.production .env.test',
    syntax: { line: [spacedHash], text: [longDouble] },
  },
  {
    name: 'EditorConfig',
    extensions: 'editorconfig',
    syntax: {
      line: [
        { mark: '#', place: 'indent' },
        { mark: ';', place: 'indent' },
      ],
    },
  },
  { name: 'Windows INF', extensions: 'reg', syntax: semicolons },
  { name: 'Module-Definition', extensions: 'def', syntax: { line: [';'], text: [double] } },
  { name: 'Visual Studio Solution', extensions: 'sln', syntax: { line: [{ mark: '#', place: 'indent' }] } },
  { name: 'Go Module', filenames: 'go.mod go.work', syntax: { line: ['//'] } },
  { name: 'Go Checksums', filenames: 'go.sum go.work.sum' },
  { name: 'CSV', extensions: 'csv' },
  { name: 'TSV', extensions: 'tsv tab' },
  { name: 'HCL', extensions: 'hcl nomad', syntax: hcl },
  { name: 'Terraform', extensions: 'tf tfvars tf.json', syntax: hcl },
  {
    name: 'CUE',
    extensions: 'cue',
    syntax: {
      line: ['//'],
      text: [
        { open: '"""', close: '"""', escape: '\\', multiline: true },
        { open: "'''", close: "'''", escape: '\\', multiline: true },
        double,
        single,
      ],
    },
  },
  {
    name: 'KDL',
    extensions: 'kdl',
    syntax: { line: ['//'], block: [{ ...slashStar, nests: true }], text: [longDouble] },
  },
  {
    name: 'Nix',
    extensions: 'nix',
    interpreters: 'nix-shell',
    syntax: { line: ['#'], block: [slashStar], text: [{ open: "''", close: "''", multiline: true }, longDouble] },
  },
  {
    name: 'Dockerfile',
    extensions: 'dockerfile containerfile',
    filenames: 'Dockerfile Containerfile',
    syntax: { line: [{ mark: '#', place: 'indent' }], heredoc: { mark: '<<', flags: '-' } },
  },
  {
    name: 'Makefile',
    extensions: 'mk mak make mkfile am',
    filenames: 'Makefile makefile GNUmakefile BSDmakefile Kbuild Makefile.am Makefile.in Makefile.inc OCamlMakefile',
    interpreters: 'make gmake',
    syntax: make,
  },
  { name: 'Kconfig', extensions: 'kconfig', filenames: 'Kconfig', syntax: { line: ['#'], text: [double, single] } },
  {
    name: 'CMake',
    extensions: 'cmake cmake.in',
    filenames: 'CMakeLists.txt',
    syntax: {
      line: ['#'],
      fences: [
        { open: '#[', fence: '=', quote: '[', close: ']', tail: ']', comment: true },
        { open: '[', fence: '=', quote: '[', close: ']', tail: ']', minimum: 1 },
      ],
      text: [longDouble],
    },
  },
  {
    name: 'Meson',
    filenames: 'meson.build meson_options.txt meson.options',
    syntax: { line: ['#'], text: [{ open: "'''", close: "'''", multiline: true }, single] },
  },
  { name: 'GN', extensions: 'gn gni', syntax: { line: ['#'], text: [double] } },
  { name: 'Ninja', extensions: 'ninja', syntax: hashed },
  { name: 'Just', extensions: 'just', filenames: 'justfile Justfile .justfile', syntax: { line: [spacedHash] } },
  { name: 'QMake', extensions: 'pri prf qmake', syntax: hashed },
  { name: 'ProGuard', extensions: 'pgcfg', filenames: 'proguard-rules.pro', syntax: hashed },
  { name: 'Procfile', filenames: 'Procfile', syntax: hashed },
  { name: 'Ant', filenames: 'build.xml', syntax: { block: [{ open: '<!--', close: '-->' }] } },
  { name: 'Maven', filenames: 'pom.xml', syntax: { block: [{ open: '<!--', close: '-->' }] } },
  { name: 'Gencat NLS', extensions: 'msg', syntax: { line: [{ mark: '$ ', place: 'column0' }] } },
  { name: 'Windows Resource', extensions: 'rc rc2', syntax: { ...slashed, text: [double] } },
  {
    name: 'SQL',
    extensions: 'sql ddl dml mysql pgsql psql tsql cql hql viw db2 udf tab.sql',
    syntax: { ...sql, tags: [{ open: '$', quote: '$', close: '$', tail: '$' }] },
  },
  {
    name: 'EdgeQL',
    extensions: 'edgeql esdl',
    syntax: { line: ['#'], text: [longDouble, { ...single, multiline: true }] },
  },
  { name: 'SPARQL', extensions: 'sparql rq', syntax: { line: ['#'], text: [double, single] } },
  { name: 'Turtle', extensions: 'ttl n3', syntax: { line: [spacedHash], text: [longDouble] } },
  { name: 'Cypher', extensions: 'cypher cyp', syntax: { ...slashed, text: [double, single] } },
  { name: 'Pig Latin', extensions: 'pig', syntax: { line: ['--'], block: [slashStar], text: [single] } },
  { name: 'LookML', extensions: 'lookml lkml', syntax: hashQuoted },
  { name: 'Godot Scene', extensions: 'tscn', syntax: { line: [';'], text: [longDouble] } },
  { name: 'Godot Resource', extensions: 'tres', syntax: { line: [';'], text: [longDouble] } },
  { name: 'Gettext', extensions: 'po pot', syntax: { line: [{ mark: '#', place: 'indent' }] } },
  { name: 'SaltStack', syntax: { line: [spacedHash], scalars: true } },
  { name: 'Fluent', extensions: 'fluent', syntax: { line: [{ mark: '#', place: 'column0' }] } },
  {
    name: 'ASN.1',
    extensions: 'asn asn1',
    syntax: { line: ['--'], block: [{ ...slashStar, nests: true }], text: [longDouble] },
  },
  { name: 'ABNF', extensions: 'abnf', syntax: semicolons },
  { name: 'EBNF', extensions: 'ebnf', syntax: { block: [{ open: '(*', close: '*)' }, slashStar] } },
  {
    name: 'M4',
    extensions: 'm4 ac',
    filenames: 'configure.ac',
    syntax: { line: [{ mark: 'dnl', place: 'word' }, spacedHash] },
  },
  { name: 'RPM Spec', extensions: 'spec', syntax: { line: ['#'] } },
  {
    name: 'Systemd',
    extensions: 'mount target path slice network netdev',
    syntax: {
      line: [
        { mark: '#', place: 'indent' },
        { mark: ';', place: 'indent' },
      ],
    },
  },
  { name: 'Nginx', extensions: 'nginx nginxconf', filenames: 'nginx.conf', syntax: hashQuoted },
  { name: 'VCL', extensions: 'vcl', syntax: { line: ['//', '#'], block: [slashStar], text: [double] } },
  { name: 'Caddyfile', extensions: 'caddyfile', filenames: 'Caddyfile', syntax: { line: [spacedHash] } },
  { name: 'OpenType Feature', extensions: 'fea', syntax: hashed },
  {
    name: 'hledger',
    extensions: 'hledger journal',
    syntax: {
      line: [';', { mark: '#', place: 'column0' }],
      block: [{ open: 'comment', close: 'end comment', place: 'alone', closePlace: 'alone' }],
    },
  },
  {
    name: 'Smithy',
    extensions: 'smithy',
    syntax: { line: ['//'], text: [{ open: '"""', close: '"""', escape: '\\', multiline: true }, double] },
  },
  { name: 'PRQL', extensions: 'prql', syntax: hashQuoted },
  {
    name: 'Pkl',
    extensions: 'pkl',
    syntax: {
      line: ['//'],
      block: [slashStar],
      text: [{ open: '"""', close: '"""', escape: '\\', multiline: true }, double],
    },
  },
  { name: 'Constraint Grammar', extensions: 'rlx cg3', syntax: hashed },
  { name: 'SRecode', extensions: 'srecode', syntax: { line: [';;'] } },
  { name: 'Hex0', extensions: 'hex0 hex1 hex2', syntax: { line: ['#', ';'] } },
  { name: 'Kaem', extensions: 'kaem', syntax: shell },
  { name: 'M1', extensions: 'M1 m1', syntax: { line: ['#', ';'], text: [double, single] } },
  { name: 'Protocol Buffer Text', extensions: 'textproto prototxt pbtxt txtpb', syntax: hashQuoted },
  { name: 'Apache Avro IDL', extensions: 'avdl', syntax: cLike },
  { name: 'Logstash', extensions: 'logstash', syntax: hashQuoted },
];
