/**
 * Realistic fake secrets of every kind, built when they are asked for: the sources hold none, so that no host's scanner
 * stops a push, and every run of a test draws the same ones.
 */
import { createHash } from 'node:crypto';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;
const HEX = '0123456789abcdef';
const WORD = `${ALNUM}_-`;
const BASE64 = `${ALNUM}+/`;

/** One kind: a text that holds it, and the values that must be gone from it. */
export interface FakeSecret {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
}

/** Draws `length` characters; the same seed gives the same. */
export function draw(seed: string, alphabet: string, length: number): string {
  let text = '';
  for (let block = 0; text.length < length; block += 1) {
    for (const byte of createHash('sha512').update(`${seed} ${block}`).digest()) {
      if (byte < 256 - (256 % alphabet.length)) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text.slice(0, length);
}

const b64 = (text: string) => Buffer.from(text).toString('base64');
const b64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function armour(label: string, seed: string, chars: number): { text: string; values: string[] } {
  const lines = draw(seed, BASE64, chars).match(/.{1,64}/g) ?? [];
  const edge = (word: string) => `-----${word} ${label}-----`;
  return { text: [edge('BEGIN'), ...lines, edge('END'), ''].join('\n'), values: lines };
}

/** Every kind of the issue, and more; `salt` makes other values of the same kinds. */
export function fakeSecrets(salt = ''): FakeSecret[] {
  const of = (name: string, alphabet: string, length: number) => draw(`${name}${salt}`, alphabet, length);
  const plain = (name: string, value: string, text = `const value = "${value}";`): FakeSecret => ({
    name,
    text,
    values: [value],
  });
  const key = (name: string, label: string, chars: number): FakeSecret => ({
    name,
    ...armour(label, name + salt, chars),
  });

  const awsId = `AKIA${of('aws id', UPPER + DIGITS, 16)}`;
  const awsSecret = of('aws secret', BASE64, 40);
  const slackWebhook = `T${of('t', UPPER + DIGITS, 10)}/B${of('b', UPPER + DIGITS, 10)}/${of('hook', ALNUM, 24)}`;
  const account = armour('PRIVATE KEY', `account${salt}`, 1600);
  const jwt = `${b64url({ alg: 'HS256', typ: 'JWT' })}.${b64url({ sub: of('sub', DIGITS, 10), iat: 1_700_000_000 })}.${of('jwt', WORD, 43)}`;
  const dbPassword = `${of('db', ALNUM, 14)}7b`;
  const mongoPassword = `${of('mongo', ALNUM, 12)}x9`;
  const urlPassword = `${of('basic', ALNUM, 11)}q4`;
  const azure = `${of('azure', BASE64, 86)}==`;
  const generic = of('generic', ALNUM, 32);
  const env = `${of('env', ALNUM, 10)}!${of('env2', DIGITS, 3)}`;
  const dockerAuth = b64(`ci-bot:${of('docker auth', ALNUM, 20)}`);
  const twilioToken = of('twilio token', HEX, 32);
  const discordWebhook = `${of('hook id', '123456789', 18)}/${of('discord hook', WORD, 68)}`;
  const npm = `npm_${of('npm', ALNUM, 36)}`;
  return [
    {
      name: 'AWS pair',
      text: `aws_access_key_id = ${awsId}\naws_secret_access_key = ${awsSecret}\n`,
      values: [awsId, awsSecret],
    },
    plain('GitHub classic', `ghp_${of('github', ALNUM, 36)}`),
    plain('GitHub app', `ghs_${of('github app', ALNUM, 36)}`),
    plain('GitHub fine-grained', `github_pat_${of('pat', ALNUM, 22)}_${of('pat2', ALNUM, 59)}`),
    plain('GitLab', `glpat-${of('gitlab', WORD, 20)}`),
    plain('Slack bot', ['xoxb', of('s1', DIGITS, 12), of('s2', DIGITS, 12), of('s3', ALNUM, 24)].join('-')),
    plain('Slack webhook', slackWebhook, `curl https://hooks.slack.com/services/${slackWebhook} -d '{}'`),
    plain('Stripe', `sk_live_${of('stripe', ALNUM, 24)}`),
    plain('Stripe restricted', `rk_live_${of('stripe r', ALNUM, 99)}`),
    plain('OpenAI', `sk-${of('openai', ALNUM, 20)}T3BlbkFJ${of('openai2', ALNUM, 20)}`),
    plain('OpenAI project', `sk-proj-${of('project', WORD, 74)}T3BlbkFJ${of('project2', WORD, 74)}`),
    plain('Anthropic', `sk-ant-api03-${of('anthropic', WORD, 93)}AA`),
    plain('Google API key', `AIza${of('google', WORD, 35)}`),
    {
      name: 'GCP service account',
      text: JSON.stringify(
        {
          type: 'service_account',
          project_id: 'acme-prod',
          private_key_id: of('key id', HEX, 40),
          private_key: account.text,
          client_email: 'ci@acme-prod.iam.gserviceaccount.com',
        },
        null,
        2,
      ),
      values: [...account.values, of('key id', HEX, 40)],
    },
    key('PEM RSA', 'RSA PRIVATE KEY', 1588),
    key('PEM EC', 'EC PRIVATE KEY', 160),
    key('PEM PKCS8', 'PRIVATE KEY', 1600),
    key('PEM encrypted', 'ENCRYPTED PRIVATE KEY', 1700),
    key('OpenSSH', 'OPENSSH PRIVATE KEY', 388),
    plain('npm', npm, `//registry.npmjs.org/:_authToken=${npm}\n`),
    plain('PyPI', `pypi-AgEIcHlwaS5vcmc${of('pypi', WORD, 150)}`),
    plain('Docker Hub', `dckr_pat_${of('docker', WORD, 27)}`),
    plain('Docker config', dockerAuth, `{"auths": {"https://index.docker.io/v1/": {"auth": "${dockerAuth}"}}}`),
    plain('JWT', jwt, `fetch(url, { headers: { Authorization: "Bearer ${jwt}" } })`),
    plain(
      'PostgreSQL URL',
      dbPassword,
      `DATABASE = "postgres://app:${dbPassword}@db.internal:5432/app?sslmode=require"`,
    ),
    plain('MongoDB URL', mongoPassword, `connect('mongodb+srv://svc:${mongoPassword}@cluster0.ab1cd.mongodb.net/app')`),
    plain('basic-auth URL', urlPassword, `git clone https://deploy:${urlPassword}@git.acme.io/app.git`),
    plain('SendGrid', `SG.${of('sg', WORD, 22)}.${of('sg2', WORD, 43)}`),
    plain('Twilio key', `SK${of('twilio', HEX, 32)}`),
    {
      name: 'Twilio account',
      text: `client = Client("AC${of('twilio sid', HEX, 32)}", "${twilioToken}")`,
      values: [twilioToken],
    },
    plain(
      'Azure storage',
      azure,
      `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${azure};EndpointSuffix=core.windows.net`,
    ),
    plain('Hugging Face', `hf_${of('hf', LOWER + UPPER, 34)}`),
    plain('DigitalOcean', `dop_v1_${of('do', HEX, 64)}`),
    plain('Telegram', `${of('tg', '123456789', 10)}:AA${of('tg2', WORD, 32)}z`),
    plain('Discord bot', `M${of('dc', ALNUM, 23)}.${of('dc2', ALNUM, 6)}.${of('dc3', WORD, 37)}a`),
    plain('Discord webhook', discordWebhook, `https://discord.com/api/webhooks/${discordWebhook}`),
    plain('Shopify', `shpat_${of('shopify', HEX, 32)}`),
    plain('Databricks', `dapi${of('dapi', HEX, 32)}`),
    plain('Vault', `hvs.${of('vault', WORD, 90)}b`),
    plain('generic key', generic, `{ "apiKey": "${generic}" }`),
    plain('env password', env, `# settings\nDB_PASSWORD=${env}\nDB_HOST=db\n`),
    plain('password in code', `${of('code', ALNUM, 9)}5!`, `password = "${of('code', ALNUM, 9)}5!"`),
  ];
}
