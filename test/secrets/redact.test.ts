/** What is taken out of texts, what is left, and that neither surroundings nor comments change it. */
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/secrets/redact.js';
import { type FakeSecret, fakeSecrets } from './fake-secrets.js';
import { lookAlikes } from './look-alikes.js';

const SALT = 'of this test';
const take = (text: string, path?: string) => redact(text, { salt: SALT, ...(path !== undefined && { path }) });
const leftOf = (text: string, values: readonly string[]) => values.filter((value) => text.includes(value));
const linesIn = (text: string) => text.split(/\r\n|\n|\r/).length;

const SECRETS = fakeSecrets();
const ONE_LINE = SECRETS.filter(({ values }) => values.length === 1);
/** Kinds known by their own shape: they are found wherever they stand. */
const BY_SHAPE = ONE_LINE.filter(({ text }) => text.startsWith('const value'));

describe('a secret', () => {
  it.each(SECRETS)('of the kind $name is taken out, and every line stays where it was', ({ text, values }) => {
    const { text: left, found } = take(text);
    expect(leftOf(left, values)).toEqual([]);
    expect(found.length).toBeGreaterThan(0);
    expect(linesIn(left)).toBe(linesIn(text));
  });

  it('is of one of 30 kinds at least, and every one is found in other values too', () => {
    expect(SECRETS.length).toBeGreaterThanOrEqual(30);
    for (const salt of ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']) {
      const missed = fakeSecrets(salt).filter(({ text, values }) => leftOf(take(text).text, values).length > 0);
      expect(missed.map(({ name }) => name)).toEqual([]);
    }
  });

  it('becomes a placeholder of its kind that is the same for the same value and salt only', () => {
    const [a = '', b = ''] = fakeSecrets('p')
      .flatMap(({ name, values }) => (name === 'GitHub classic' ? values : []))
      .concat(fakeSecrets('q').flatMap(({ name, values }) => (name === 'GitHub classic' ? values : [])));
    const [one, two, other] = take(`${a} ${a} ${b}`).text.split(' ');
    expect(one).toMatch(/^\[REDACTED:github_token:[0-9a-f]{4}\]$/);
    expect([two === one, other === one]).toEqual([true, false]);
    expect(redact(a, { salt: 'another' }).text).not.toBe(one);
  });

  it('is told of by kind and line, never by value', () => {
    const [{ values: [value = ''] = [] } = {}] = BY_SHAPE;
    expect(take(`one\r\ntwo\n\n  "${value}"\n`).found).toEqual([{ kind: 'github_token', line: 4 }]);
  });

  it.each(SECRETS)('of the kind $name is not found again in what is left of it', ({ text }) => {
    const once = take(text).text;
    expect(take(once)).toMatchObject({ text: once, found: [] });
  });
});

/** Where a value may stand. */
const PLACES: Readonly<Record<string, (value: string) => string>> = {
  JSON: (value) => JSON.stringify({ a: 1, b: { note: value } }),
  'JSON within JSON': (value) => JSON.stringify({ body: JSON.stringify({ note: value }) }),
  'a string with escaped line breaks': (value) => JSON.stringify(`first\n${value}\nlast\t${value}`),
  YAML: (value) => `a:\n  - note: ${value}\n  - other: 1\n`,
  '.env': (value) => `A=1\nVALUE=${value}\nB=2\n`,
  TypeScript: (value) => `const x: string = '${value}'; // eslint-disable-line`,
  Python: (value) => `x = f"""${value}"""`,
  Go: (value) => `var x = \`${value}\``,
  Rust: (value) => `let x: &'static str = "${value}";`,
  Ruby: (value) => `x = %q(${value})`,
  shell: (value) => `curl -H "X-Auth: ${value}" https://acme.io`,
  SQL: (value) => `INSERT INTO t VALUES ('${value}');`,
  XML: (value) => `<a><b>${value}</b></a>`,
  'a URL in prose': (value) => `see https://acme.io/hook?t=${value}, then go on.`,
  Markdown: (value) => `Use \`${value}\` (or **${value}**).`,
  brackets: (value) => `([{<${value}>}]);`,
  'the end of a sentence': (value) => `It is ${value}. Next.`,
  'a string split on its line': (value) => `x = "${value.slice(0, 11)}" + "${value.slice(11)}";`,
  'an assignment over two lines': (value) => `const x =\n  "${value}";`,
  'a string split by a plus sign': (value) => `const x = "${value.slice(0, 11)}" +\n    "${value.slice(11)}";`,
  'a string split by juxtaposition': (value) => `x = ("${value.slice(0, 11)}"\n     "${value.slice(11)}")`,
  'a line continued by a backslash': (value) => `X=${value.slice(0, 13)}\\\n${value.slice(13)}\n`,
  'CRLF lines': (value) => `a\r\nx = "${value}"\r\nb\r\n`,
  'a CRLF string split by a plus sign': (value) => `x = "${value.slice(0, 11)}" +\r\n "${value.slice(11)}"\r\n`,
  'a diff': (value) => `@@ -1 +1 @@\n-x = 1\n+x = "${value}"\n`,
  'a comment that would disable a scanner': (value) =>
    `// gitleaks:allow nosecret pragma: allowlist secret\nx = "${value}" # gitleaks:allow noqa nosec secretlint-disable-line\n/* secretlint-disable */ y`,
  Base64: (value) => `data: ${Buffer.from(`x: "${value}"`).toString('base64')}`,
  'Base64 in lines of 76': (value) =>
    (
      Buffer.from(`name: app\nnote: a line before it that is long enough\nx: "${value}"\n`)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n'),
  'URL-safe Base64': (value) => `?d=${Buffer.from(`{"x":"${value}","y":"ÿ>?~"}`).toString('base64url')}`,
};

describe('a secret that is known by its shape', () => {
  it.each(Object.entries(PLACES))('is taken out of %s, whatever its kind', (_, place) => {
    const missed = BY_SHAPE.filter(({ values: [value = ''] }) => {
      const text = place(value);
      const left = take(text).text;
      const encoded = /Base64/.test(_) && text.length - left.length < 10;
      return left.includes(value) || left.includes(value.slice(11)) || encoded || linesIn(left) > linesIn(text);
    });
    expect(missed.map(({ name }) => name)).toEqual([]);
  });

  it('is found over a plain line break within it, and the word after a whole one is left', () => {
    const kinds = [
      'GitHub classic',
      'GitLab',
      'Stripe',
      'OpenAI',
      'Anthropic',
      'Google API key',
      'PyPI',
      'Hugging Face',
      'DigitalOcean',
    ];
    for (const {
      name,
      values: [value = ''],
    } of BY_SHAPE.filter((one) => kinds.includes(one.name))) {
      const left = take(`note: ${value.slice(0, 12)}\n  ${value.slice(12)}\nnext: 1\n`).text;
      expect([name, left.includes(value.slice(0, 12)) || left.includes(value.slice(12, 30))]).toEqual([name, false]);
      expect(left.split('\n')[2]).toBe('next: 1');
      expect(take(`${value}\nfollowing_word`).text).toMatch(/\]\nfollowing_word$/);
    }
  });

  it('is found in a single line of a megabyte, at its beginning, middle and end', () => {
    const filler = 'var a=function(e,t){return e.b?t(e.c):null};'.repeat(12_000);
    const [first, second, third] = BY_SHAPE.map(({ values }) => values[0] ?? '');
    const { text, found } = take(`"${first}";${filler}"${second}";${filler}"${third}"`);
    expect(leftOf(text, [first ?? '', second ?? '', third ?? ''])).toEqual([]);
    expect(found).toHaveLength(3);
  });
});

describe('a value under a telling name', () => {
  const drawn = (SECRETS.find(({ name }) => name === 'generic key') as FakeSecret).values[0] ?? '';
  const chosen = `Tr0ub4dor${'&'}3x`;
  it.each([
    `DB_PASSWORD=${chosen}`,
    `export APP_SECRET="${drawn}"`,
    `password: ${chosen}`,
    `  password: '${chosen}'`,
    `const dbPassword: string = "${chosen}";`,
    `config["password"] = '${chosen}'`,
    `{ user: 'me', password: '${chosen}' }`,
    `api_key := "${drawn}"`,
    `'api-key' => '${drawn}',`,
    `x-api-key: ${drawn}`,
    `--password ${chosen}`,
    `--token=${drawn}`,
    `<password>${chosen}</password>`,
    `<add key="ApiKey" value="${drawn}" />`,
    `os.getenv("API_TOKEN", "${drawn}")`,
    `client_secret =\n    "${drawn}"`,
    `secret_key_base: ${drawn}`,
    `https://acme.io/v1?access_token=${drawn}&x=1`,
    `Server=db;User Id=sa;Password=${chosen.replace('&', '%')};Encrypt=true`,
    `{\\"password\\": \\"${chosen}\\"}`,
    `if (password === "${chosen}") {}`,
    `curl -u admin:${chosen} https://acme.io`,
    `Authorization: Basic ${Buffer.from(`admin:${chosen}`).toString('base64')}`,
    `Authorization: Bearer ${drawn}`,
    `docker login -u ci -p ${chosen} registry.acme.io`,
    `  password: ${Buffer.from(chosen).toString('base64')}`,
    `const key = { secret: "${drawn.slice(0, 16)}" + "${drawn.slice(16)}" };`,
  ])('is taken out of %j', (text) => {
    const left = take(text);
    expect(left.found.length).toBeGreaterThan(0);
    expect(
      leftOf(left.text, [
        drawn,
        chosen,
        chosen.replace('&', '%'),
        Buffer.from(`admin:${chosen}`).toString('base64'),
        Buffer.from(chosen).toString('base64'),
      ]),
    ).toEqual([]);
  });
});

describe('a look-alike', () => {
  const all = Object.entries(lookAlikes());
  it.each(all)('such as %s is left alone', (_, text) => {
    expect(take(text)).toEqual({ text, found: [] });
  });

  it('is one of 30 at least', () => {
    expect(all.length).toBeGreaterThanOrEqual(30);
  });
});

describe('a file', () => {
  const rsa = SECRETS.find(({ name }) => name === 'PEM RSA')?.text ?? '';
  const account = SECRETS.find(({ name }) => name === 'GCP service account')?.text ?? '';
  const token = BY_SHAPE[0]?.values[0] ?? '';
  it.each<[string, string, RegExp]>([
    ['.env', 'A=1', /environment/],
    ['config/.env.production', 'A=1', /environment/],
    ['.envrc', 'A=1', /environment/],
    ['prod.env', 'A=1', /environment/],
    ['C:\\work\\.env', 'A=1', /environment/],
    ['home/.ssh/id_rsa', 'x', /SSH key/],
    ['id_ed25519', 'x', /SSH key/],
    ['tls/server.key', 'x', /private key/],
    ['AuthKey.p8', 'x', /private key/],
    ['cert.p12', 'x', /key store/],
    ['cert.pfx', 'x', /key store/],
    ['.aws/credentials', 'x', /credentials/],
    ['a/.docker/config.json', '{}', /credentials/],
    ['.netrc', 'machine x', /passwords/],
    ['server.pem', rsa, /holds a private key/],
    ['src/keys.ts', `const KEY = ${JSON.stringify(rsa)};`, /holds a private key/],
    ['secret.yaml', `data:\n  tls: ${Buffer.from(rsa).toString('base64')}\n`, /holds a private key/],
    ['acme-prod-1234.json', account, /service account/],
    ['.npmrc', `//registry.npmjs.org/:_authToken=${token}`, /credentials/],
    ['.pypirc', `[pypi]\nusername = __token__\npassword = ${token}`, /credentials/],
  ])('called %s is blocked', (path, text, reason) => {
    expect(take(text, path).blocked).toMatch(reason);
  });

  it.each<[string, string]>([
    ['src/env.ts', 'export const env = process.env;'],
    ['id_rsa.pub', 'ssh-rsa AAAA'],
    ['environment.md', 'x'],
    ['keys.ts', 'x'],
    ['server.pem', lookAlikes().certificate ?? ''],
    ['a.ts', `const t = "${token}";`],
    ['.npmrc', 'registry=https://registry.npmjs.org/\n'],
    ['config.json', '{}'],
  ])('called %s is not blocked', (path, text) => {
    expect(take(text, path).blocked).toBeUndefined();
  });

  it('that is cut off within a private key gives nothing of it away', () => {
    for (const { text, values } of SECRETS.filter(({ text: body }) => body.startsWith('-----BEGIN'))) {
      const { text: left, blocked } = take(text.slice(0, Math.max(150, text.length / 2)));
      expect(leftOf(left, values)).toEqual([]);
      expect(blocked).toMatch(/private key/);
    }
  });
});
