/** Texts that look like secrets and are none: nothing in them may be touched. Built when asked for, as the secrets are. */
import { draw } from './fake-secrets.js';

const HEX = '0123456789abcdef';
const ALNUM = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const BASE64 = `${ALNUM}+/`;
const hex = (seed: string, length: number) => draw(seed, HEX, length);
const base64 = (seed: string, length: number) => draw(seed, BASE64, length);
const lines = (seed: string, length: number) => (base64(seed, length).match(/.{1,64}/g) ?? []).join('\n');
const uuid = (seed: string) => hex(seed, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const armour = (label: string, seed: string, length: number) =>
  `-----BEGIN ${label}-----\n${lines(seed, length)}\n-----END ${label}-----\n`;
/** Bytes that no text has, as images have them. */
const binary = (seed: string, length: number) =>
  Buffer.from(Array.from(Buffer.from(draw(seed, ALNUM, length)), (byte) => byte ^ 0xa5)).toString('base64');

/** Name and text of each. */
export function lookAlikes(): Readonly<Record<string, string>> {
  return {
    'AWS example pair': `aws_access_key_id = ${'AKIAIOSFODNN7'}EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY${'EXAMPLEKEY'}\n`,
    'environment reads': [
      'const token = process.env.GITHUB_TOKEN;',
      `const key = process.env['OPENAI_API_KEY'] ?? '';`,
      'password = os.environ["DB_PASSWORD"]',
      'api_key = os.getenv("API_KEY_2024")',
      'String secret = System.getenv("APP_SECRET_V2");',
      'token := os.Getenv("GITHUB_TOKEN")',
      `$password = getenv('DB_PASSWORD');`,
      'token = ENV.fetch("SLACK_TOKEN")',
      'let key = env!("API_KEY");',
    ].join('\n'),
    'shell references':
      'export DB_PASSWORD="$' +
      '{DB_PASSWORD}"\nTOKEN=$GITHUB_TOKEN\nSECRET=$(cat /run/secrets/app)\nAPI_KEY=$' +
      '{API_KEY:?missing}\n',
    'template URLs': [
      'postgres://$' + '{user}:$' + '{pass}@$' + '{host}/db',
      'mysql://{user}:{password}@{host}:3306/db',
      'mongodb+srv://<username>:<password>@cluster.mongodb.net',
      'redis://:%s@%s:6379',
      'https://{{ user }}:{{ token }}@git.acme.io',
      'https://user:****@host',
      'amqp://$USER:$PASS@mq',
    ].join('\n'),
    'URLs without a password':
      'http://localhost:3000/a@b\nhttps://github.com/acme/app.git\nssh://git@host:22/x\nhttps://maps.acme.io/@52.5,13.4\nhttp://[::1]:8080/',
    'local set-ups':
      'postgres://postgres:postgres@localhost:5432/app\namqp://guest:guest@localhost\nmysql://root:password@127.0.0.1/db',
    'SHA hashes': `${hex('sha1', 40)}  a.txt\n${hex('sha256', 64)}  b.txt\n${hex('md5', 32)} c.txt\nsha256:${hex('img', 64)}`,
    'git blob ids': `index ${hex('g1', 40)}..${hex('g2', 40)} 100644\ncommit ${hex('g3', 40)}\ntree ${hex('g4', 40)}\nparent ${hex('g5', 40)}`,
    UUIDs: [1, 2, 3].map((n) => `{"id": "${uuid(`uuid ${n}`)}", "traceId": "${uuid(`trace ${n}`)}"}`).join('\n'),
    'SRI integrity': `<script src="x.js" integrity="sha384-${base64('sri', 64)}" crossorigin="anonymous"></script>`,
    'package-lock': `"node_modules/a": {\n  "version": "1.2.3",\n  "resolved": "https://registry.npmjs.org/a/-/a-1.2.3.tgz",\n  "integrity": "sha512-${base64('lock', 86)}==",\n  "license": "MIT"\n}`,
    'yarn and pnpm locks': `a@^1.0.0:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#${hex('yarn', 40)}"\n  checksum: 10c0/${hex('berry', 128)}`,
    'Cargo and go sums': `checksum = "${hex('cargo', 64)}"\ngithub.com/a/b v1.2.3 h1:${base64('gosum', 43)}=`,
    'public key': armour('PUBLIC KEY', 'public', 392),
    'RSA public key': armour('RSA PUBLIC KEY', 'rsa public', 360),
    certificate: armour('CERTIFICATE', 'cert', 1200),
    'PGP public key': armour('PGP PUBLIC KEY BLOCK', 'pgp', 800),
    'SSH public key': `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC${base64('ssh', 360)} me@host\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64('ed', 43)} me`,
    'known hosts': `github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64('host', 43)}`,
    'code about private keys': `if (text.includes('-----BEGIN RSA PRIVATE KEY-----')) throw new Error('no keys');\nconst END = '-----END RSA PRIVATE KEY-----';\nconst PATTERN = /-----BEGIN (?:RSA )?PRIVATE KEY-----[\\s\\S]+?-----END/;`,
    'PEM with dots':
      '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n-----BEGIN RSA PRIVATE KEY-----\nYOUR KEY HERE\n-----END RSA PRIVATE KEY-----',
    placeholders: [
      'API_KEY=your-api-key-here',
      'SECRET=changeme',
      'DB_PASSWORD=<password>',
      'TOKEN=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'apiKey: "YOUR_API_KEY"',
      'password: "********"',
      'secret: "insert-your-secret-here"',
      `GITHUB_TOKEN=ghp_${'x'.repeat(36)}`,
      `OPENAI_API_KEY=sk-${'x'.repeat(48)}`,
      'client_secret = "TODO"',
      'password = ""',
      'token: null',
    ].join('\n'),
    'types and parameters': [
      'function login(user: string, password: string, token?: string): Promise<Token> {}',
      'interface Auth { apiKey: string; secret?: SecretValue; passwordHash: string }',
      'const password = form.password.value;',
      'password: newPassword2,',
      'token = await getToken(user);',
      'def f(password=None, api_key: str | None = None): ...',
      'private String accessToken;',
      'let secret = request.headers.get("x-secret-v2")',
      'self.token = token2',
      'max_tokens: 4096, total_tokens=128000',
      'const { password, secret } = options;',
      'if (token === otherToken1) return;',
    ].join('\n'),
    'labels and messages': [
      '<input type="password" name="password" id="password-1" placeholder="Password">',
      'password: "Enter your password",',
      '"forgotPassword": "Passwort vergessen?"',
      `t('password', 'login.form.password-label')`,
      'errors.password = "must have 8 characters!"',
      'token: "login-page-title-2"',
      'secret: "app/production/db"',
      'throw new Error("token: expired at 2024-01-01")',
      'passwordPlaceholder: "hunter2abc"',
    ].join('\n'),
    'names of secrets':
      'secretName: db-credentials-v2\ntoken_url: https://auth.acme.io/oauth2/v1/token\nPASSWORD_FILE=/run/secrets/db1\nsecretKeyRef:\n  name: app-secret-1\n  key: api-key\npassword_reset_ttl = 3600s1',
    'password hashes': `password: "$2b$10$${draw('bcrypt', `${ALNUM}./`, 53)}"\npassword_hash = "${hex('hash', 64)}"\n`,
    'minified code':
      'var a=function(e,t,n){"use strict";var r=n(1),o=n.n(r);t.token=function(e){return e.secret?e.secret.token:i.password}};' +
      Array.from(
        { length: 40 },
        (_, n) =>
          `function ${draw(`fn${n}`, ALNUM.slice(0, 52), 2)}(e){return e.k${n}?${draw(`m${n}`, ALNUM.slice(0, 52), 3)}(e,"${draw(`s${n}`, ALNUM, 6)}"):null}`,
      ).join(';'),
    'source map': `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify({ version: 3, sources: ['a.ts', 'b.ts'], names: ['token', 'secret'], mappings: draw('map', ALNUM, 400) })).toString('base64')}`,
    'base64 image': `<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${binary('png', 900)}">`,
    'base64 font in CSS': `@font-face{src:url(data:font/woff2;base64,d09GMgABAAAAA${binary('woff', 900)}) format("woff2")}`,
    CSS: ':root{--token-color:#a1b2c3;--key-size:12px}.password-field::after{content:"\\f023"}.btn-secret:hover{background:#0f1e2d}.a{color:#deadbeef}',
    'prose about secrets':
      'Set the token: see https://docs.acme.io/auth. The password is never stored; a secret key has 32 bytes. Basic authentication uses user:password. Bearer tokens expire.',
    'publishable keys': `Stripe(${JSON.stringify(`pk_live_${draw('pk', ALNUM, 24)}`)})`,
    'versions and dates':
      'token_version = 2.14.3\nkey: 2024-01-31T12:00:00Z\napi_key_count=12345678\nsecret_rotation: 90d',
    'regular expressions': String.raw`const TOKEN = /^ghp_[A-Za-z0-9]{36}$/; const AWS = /AKIA[0-9A-Z]{16}/; const URL = /:\/\/[^:]+:[^@]+@/;`,
    'lorem in base64': `data = "${Buffer.from('Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod').toString('base64')}"`,
    'docker digests': `FROM node:20@sha256:${hex('docker', 64)}\nimage: acme/app@sha256:${hex('docker2', 64)}`,
    'Kubernetes manifest': `apiVersion: v1\nkind: Pod\nmetadata:\n  uid: ${uuid('pod')}\n  resourceVersion: "123456789"\nspec:\n  serviceAccountName: build-robot2\n  volumes:\n  - secret: {secretName: tls-cert-2024}`,
    'GitHub Actions':
      'env:\n  GITHUB_TOKEN: $' +
      '{{ secrets.GITHUB_TOKEN }}\n  NPM_TOKEN: $' +
      '{{ secrets.NPM_TOKEN }}\nuses: actions/checkout@' +
      hex('action', 40),
    'Terraform references':
      'password = var.db_password\ntoken    = data.vault_generic_secret.app.data["token1"]\nsecret   = "$' +
      '{random_password.db.result}"\n',
    'npmrc reference': '//registry.npmjs.org/:_authToken=$' + '{NPM_TOKEN}\n',
  };
}
