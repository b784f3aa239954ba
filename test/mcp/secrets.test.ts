/** Secrets of every kind, in what a caller sends, a client answers and a tool reads: none leaves, none is kept. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeSecrets } from '../secrets/fake-secrets.js';
import { init, jobIdOf, m26, type Reply } from '../support/http-wire.js';
import { heldBy as heldIn, keptIn } from '../support/kept-secrets.js';
import { answerTo, isQuestion, questionsOn, says, WILLING } from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const SECRETS = fakeSecrets('end to end');
const CODE = SECRETS.map(({ name, text }) => `// ${name}\n${text}\n`).join('\n');
const TOOLS = {
  LONGHAUL_TOOLS: new URL('../support/leaky-tools.mjs', import.meta.url).pathname,
  LONGHAUL_LOG_LEVEL: 'trace',
};

let site: Site;
let http: HttpServer;
beforeAll(async () => {
  site = await openSite();
  http = await site.http({ env: TOOLS });
});
afterAll(() => site.close());

const heldBy = (text: string) => heldIn(text, SECRETS);

/** Answers every question of a call with these, in turn; the last one answers all that follow. */
async function answering(call: Reply, ...answers: readonly ((id: unknown) => Promise<unknown>)[]) {
  for (let asked = 0; ; asked += 1) {
    const next = await call.message(
      (message) => (isQuestion(message) && questionsOn(call).indexOf(message) >= asked) || 'result' in message,
    );
    if ('result' in next) return next.result;
    const answer = answers[Math.min(asked, answers.length - 1)];
    await answer?.(questionsOn(call)[asked]?.id);
  }
}

/** What is left anywhere: on the client's side of the wire, in Redis and in the processes' logs. */
async function leftIn(...replies: readonly Reply[]) {
  const wire = replies.map((reply) => JSON.stringify(reply.messages())).join('\n');
  return { wire: heldBy(wire), redis: heldBy(await keptIn(site.dataDir)), stderr: heldBy(http.stderr()) };
}

const NOWHERE = { wire: [], redis: [], stderr: [] };

it('the check itself finds a secret that is held', async () => {
  expect(heldBy(JSON.stringify({ code: CODE })).length).toBe(SECRETS.length);
});

it('a review of code that holds them all asks without them, and the client’s echoes are not kept', async () => {
  const session = await init(http, WILLING);
  const call = await session.call('r', 'review_code', { code: CODE, language: 'text' }, 'token');
  const echo = JSON.stringify({
    findings: SECRETS.map(({ text }, index) => ({
      ...{ line: index + 1, severity: 'high', category: 'security', title: 'A secret', confidence: 1 },
      ...{ quote: text, message: `It holds ${text}`, explanation: text, suggestion: `Remove ${text}` },
    })),
  });
  const result = await answering(
    call,
    (id) => answerTo(session, { id }, says(`${echo}\n`)),
    (id) => session.refuse(id, -32603, `cannot mend ${SECRETS.map(({ text }) => text).join(' and ')}`),
  );
  expect(questionsOn(call)).toHaveLength(2);
  expect(JSON.stringify(result)).toContain('[REDACTED:');
  expect(JSON.stringify(questionsOn(call)[0])).toMatch(/\[REDACTED:github_token:[0-9a-f]{4}\]/);
  expect(result?.isError ?? false).toBe(false);
  expect(await leftIn(call)).toEqual(NOWHERE);
  const fetched = await session.result('g', 'get_job', { job_id: jobIdOf(result) });
  expect(heldBy(JSON.stringify(fetched))).toEqual([]);
});

it('in the era of round trips as well', async () => {
  const args = { name: 'generate_tests', arguments: { code: CODE } };
  const options = { capabilities: { sampling: {} } };
  const first = await m26(http, 1, ['tools/call', args], options);
  const { result } = await first.response(1);
  const requests = result?.inputRequests as Record<string, unknown>;
  expect(JSON.stringify(requests)).toMatch(/\[REDACTED:stripe_key/);
  const inputResponses = Object.fromEntries(Object.keys(requests).map((key) => [key, says(`\`\`\`\n${CODE}\n\`\`\``)]));
  const again = { ...args, requestState: result?.requestState, inputResponses };
  const second = await m26(http, 2, ['tools/call', again], options);
  expect((await second.response(2)).result?.isError ?? false).toBe(false);
  expect(await leftIn(first, second)).toEqual(NOWHERE);
});

it.each(['kindly', 'badly', 'later'])(
  'a careless tool that fails %s gives none away, whatever it says',
  async (fails) => {
    const file = join(site.root, `secrets-${fails}.txt`);
    await writeFile(file, CODE);
    const session = await init(http, WILLING);
    await session.request('level', 'logging/setLevel', { level: 'debug' });
    const call = await session.call('l', 'leaky', { file, note: 'plain', code: CODE, fails }, 'token');
    const result = await answering(call, (id) => session.refuse(id, -1, `no: ${CODE}`));
    expect(result?.isError).toBe(true);
    expect(questionsOn(call)).toHaveLength(2);
    const notified = call.messages().flatMap(({ method }) => method ?? []);
    expect(notified).toEqual(expect.arrayContaining(['notifications/progress', 'notifications/message']));
    expect(await leftIn(call)).toEqual(NOWHERE);
  },
);

it('the same code under the same key is the same job, and other secrets in the same place are other arguments', async () => {
  const session = await init(http, {});
  const args = (salt: string) => ({
    ...{ file: join(site.root, 'secrets-kindly.txt'), note: 'n', fails: 'kindly', idempotency_key: 'k' },
    code: fakeSecrets(salt)
      .map(({ text }) => text)
      .join('\n'),
  });
  const [one, two] = [await session.result('a', 'leaky', args('x')), await session.result('b', 'leaky', args('x'))];
  const other = await session.result('c', 'leaky', args('y'));
  expect(jobIdOf(two)).toBe(jobIdOf(one));
  expect(JSON.stringify(other)).toContain('idempotency_conflict');
});
