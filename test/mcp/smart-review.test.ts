/** `smart_review` on the raw wire: each depth with a scripted model, files within the roots, and the hand-off. */
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import {
  init,
  jobIdOf,
  m26,
  post,
  type Reply,
  textOf,
  type WireMessage,
  type WireSession,
} from '../support/http-wire.js';
import { workerOf, workersOf } from '../support/processes.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const CODE = 'const key = input;\neval(key);\n';
const FINDING = {
  line: 7,
  quote: 'eval(key);',
  severity: 'high',
  category: 'security',
  title: 'eval of input',
  message: 'Runs anything.',
};
const TEN = { security: 10, correctness: 10, performance: 10, readability: 10 };
/** What the model says to a question, by the form that it asks for. */
const ANSWERS = [
  ['"fixes"', { fixes: [{ finding_id: 'F1', find: 'eval(key);', replace: 'JSON.parse(key);' }] }],
  ['"scores"', { scores: TEN, summary: 'Fine.', drop: [] }],
  ['do not repeat them', { findings: [] }],
  ['"findings"', { findings: [FINDING] }],
] as const;

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
  await mkdir(join(site.root, 'project'), { recursive: true });
  await writeFile(join(site.root, 'project', 'a.js'), CODE);
  await writeFile(join(site.root, 'project', '.env'), 'TOKEN=1');
});
afterAll(() => site.close());

const answerTo = (params: unknown) => {
  const prompt = (params as { messages: { content: { text: string } }[] }).messages[0]?.content.text ?? '';
  const [, value] = ANSWERS.find(([sign]) => prompt.includes(sign)) ?? ANSWERS[3];
  return {
    role: 'assistant',
    model: 'm',
    stopReason: 'endTurn',
    content: { type: 'text', text: JSON.stringify(value) },
  };
};

/** Answers every sampling question on the call's stream until its result comes; gives it with what was asked. */
async function reviewed(
  session: WireSession,
  reply: Reply,
  id: string,
  answer: (params: unknown) => object = answerTo,
  onAsked: () => Promise<void> = async () => undefined,
) {
  const asked: WireMessage[] = [];
  const isNew = (message: WireMessage) =>
    message.id === id || (message.method === 'sampling/createMessage' && !asked.some((one) => one.id === message.id));
  for (;;) {
    const message = await reply.message(isNew, 60_000);
    if (message.id === id) return { result: message.result, asked };
    asked.push(message);
    await onAsked();
    await session.answer(message.id, answer(message.params));
  }
}

describe('a review of each depth', () => {
  test.each([
    ['quick', 1, undefined],
    ['standard', 3, 4],
    ['deep', 5, 4],
  ] as const)('%s: %i questions, and security scored %s', async (depth, questions, security) => {
    const session = await init(server, { sampling: {} });
    const reply = await session.call(depth, 'smart_review', { code: CODE, language: 'JavaScript', depth }, depth);
    const { result, asked } = await reviewed(session, reply, depth);
    expect(asked).toHaveLength(questions);
    expect(result?.structuredContent).toMatchObject({
      status: 'complete',
      sampling: 'used',
      depth,
      findings: [{ ...FINDING, line: 2, ...(depth !== 'quick' && { fix: { replace: 'JSON.parse(key);' } }) }],
      ...(security !== undefined && { scores: { security, overall: 5 } }),
    });
    const progress = reply.messages().filter(({ method }) => method === 'notifications/progress');
    const values = progress.map(({ params }) => Number(params?.progress));
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    expect(progress.map(({ params }) => params?.message).join()).toContain('Looking for issues');
  });

  test('a client of 2026-07-28 takes a deep one in four rounds', async () => {
    const params = { name: 'smart_review', arguments: { code: CODE, language: 'JavaScript', depth: 'deep' } };
    const options = { capabilities: { sampling: {} } };
    let more = {};
    for (let round = 0; ; round++) {
      const reply = await m26(server, round, ['tools/call', { ...params, ...more }], options);
      const { result } = await reply.response(round, 20_000);
      if (result?.resultType !== 'input_required') {
        expect(round).toBe(4);
        expect(result?.structuredContent).toMatchObject({ status: 'complete', findings: [{ line: 2, fix: {} }] });
        return;
      }
      const requests = result.inputRequests as Record<string, { params: unknown }>;
      const inputResponses = Object.fromEntries(
        Object.entries(requests).map(([key, request]) => [key, answerTo(request.params)]),
      );
      more = { inputResponses, requestState: result.requestState };
    }
  });
});

test('a model that calls tools may call the one it is offered, with its findings', async () => {
  const session = await init(server, { sampling: { tools: {} } });
  const reply = await session.call('t', 'smart_review', { code: CODE, language: 'JavaScript', depth: 'quick' });
  const { result, asked } = await reviewed(session, reply, 't', () => ({
    role: 'assistant',
    model: 'm',
    stopReason: 'toolUse',
    content: [{ type: 'tool_use', id: '1', name: 'submit_findings', input: { findings: [FINDING] } }],
  }));
  expect(asked[0]?.params).toMatchObject({ tools: [{ name: 'submit_findings' }], toolChoice: { mode: 'auto' } });
  expect(result?.structuredContent).toMatchObject({ status: 'complete', findings: [{ line: 2 }] });
});

test('an answer that nests without end is told as none, and is not asked for without end', async () => {
  const session = await init(server, { sampling: { tools: {} } });
  const reply = await session.call('n', 'smart_review', { code: CODE, language: 'JavaScript', depth: 'quick' });
  const { id } = await reply.message(({ method }) => method === 'sampling/createMessage');
  const nest = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const content = `[{"type":"tool_use","id":"1","name":"submit_findings","input":${nest}}]`;
  const result = `{"role":"assistant","model":"m","content":${content}}`;
  await post(server, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, session.headers);
  const { result: told } = await reply.response('n', 20_000);
  expect(told?.structuredContent).toMatchObject({ status: 'failed', findings: [], summary: 'NOT REVIEWED (failed)' });
  expect(textOf(told)).toContain('nests deeper than 200 levels');
  expect(reply.messages().filter(({ method }) => method === 'sampling/createMessage')).toHaveLength(1);
});

test('a folder is reviewed without what must not leave it; a path outside is refused', async () => {
  const session = await init(server, { sampling: {} });
  const reply = await session.call('p', 'smart_review', { path: 'project', depth: 'quick' });
  const { result, asked } = await reviewed(session, reply, 'p');
  expect(JSON.stringify(asked)).not.toContain('TOKEN=1');
  expect(result?.structuredContent).toMatchObject({
    status: 'partial',
    findings: [{ file: 'a.js', line: 2 }],
    files: [
      { path: '.env', status: 'skipped', reason: 'is an environment file' },
      { path: 'a.js', status: 'reviewed' },
    ],
  });
  const outside = await session.result('o', 'smart_review', { paths: ['project/a.js', '/etc/passwd'] });
  expect(outside).toMatchObject({ isError: true, _meta: { 'longhaul/error': { code: 'path_not_allowed' } } });
});

test('a file is reviewed in a root that only the client tells', async () => {
  const other = await realpath(site.dataDir);
  const root = join(other, 'elsewhere');
  await mkdir(root, { recursive: true });
  await writeFile(join(root, 'b.js'), CODE);
  const session = await init(server, { sampling: {}, roots: {} });
  const reply = await session.call('r', 'smart_review', { path: join(root, 'b.js'), depth: 'quick' });
  const question = await reply.message(({ method }) => method === 'roots/list');
  await session.answer(question.id, { roots: [{ uri: pathToFileURL(root).href }] });
  const { result } = await reviewed(session, reply, 'r');
  expect(result?.structuredContent).toMatchObject({ status: 'complete', findings: [{ file: 'b.js', line: 2 }] });
});

/** Says of every file in a prompt that its eval is wrong, and mends each finding of it. */
function answerByFile(params: unknown) {
  const { text = '' } = (params as { messages: { content: { text?: string } }[] }).messages[0]?.content ?? {};
  if (!text.includes('"findings"') || text.includes('"fixes"') || text.includes('"scores"')) return answerTo(params);
  const files = [...text.matchAll(/^FILE "([^"]+)"/gm)].map(([, file]) => file);
  const findings = text.includes('do not repeat them') ? [] : files.map((file) => ({ ...FINDING, file }));
  return { ...answerTo(params), content: { type: 'text', text: JSON.stringify({ findings }) } };
}

test('a deep review of 20 files whose worker dies twice asks nothing again, and tells the same', async () => {
  const folder = join(site.root, 'twenty');
  await mkdir(folder, { recursive: true });
  const body = `${'work();\n'.repeat(300)}${CODE}`;
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => writeFile(join(folder, `f${index}.js`), `// ${index}\n${body}`)),
  );
  const args = { path: 'twenty', depth: 'deep' };
  const calm = await init(server, { sampling: {} });
  const undisturbed = await reviewed(calm, await calm.call('calm', 'smart_review', args), 'calm', answerByFile);
  const session = await init(server, { sampling: {} });
  const reply = await session.call('killed', 'smart_review', args);
  let asked = 0;
  const killed = await reviewed(session, reply, 'killed', answerByFile, async () => {
    asked += 1;
    if (asked === 3 || asked === 12) await killWorker();
  });
  const report = ({ result }: typeof killed) => ({ ...result?.structuredContent, job_id: '' });
  expect(undisturbed.asked.length).toBeGreaterThan(12);
  expect(killed.asked.length).toBe(undisturbed.asked.length);
  expect(report(killed)).toEqual(report(undisturbed));
  expect(report(killed)).toMatchObject({ status: 'complete', findings: { length: 20 }, files: { length: 20 } });
});

async function killWorker(): Promise<void> {
  const first = await workerOf(site.dataDir);
  process.kill(first, 'SIGKILL');
  const isNext = (pids: readonly number[]) => pids.length === 1 && !pids.includes(first);
  await until(() => workersOf(site.dataDir), isNext, { what: 'another worker', limitMs: 60_000 });
}

describe('a client without sampling', () => {
  const args = { path: 'project', depth: 'standard' };
  test('gets a packet at once, and its submission is placed, fixed to the files and scored', async () => {
    const session = await init(server);
    const handed = await session.result('h', 'smart_review', args);
    expect(handed.structuredContent).toMatchObject({
      status: 'unavailable',
      sampling: 'unavailable',
      packet: { chunks: [{ files: ['a.js'] }], submit: { tool: 'submit_review' } },
    });
    expect(textOf(handed)).toContain('2 | eval(key);');
    expect(textOf(handed)).not.toContain('TOKEN=1');
    const job_id = jobIdOf(handed);
    const phantom = { ...FINDING, quote: 'exec(key);' };
    const done = await session.result('s', 'submit_review', {
      job_id,
      findings: [FINDING, FINDING, phantom],
      scores: TEN,
    });
    expect(done.structuredContent).toMatchObject({
      job_id,
      status: 'partial',
      findings: [{ id: 'F1', file: 'a.js', line: 2 }],
      left_out: [{ reason: 'the quote is not in the file' }],
      scores: { security: 4, overall: 5 },
      files: [
        { path: '.env', status: 'skipped' },
        { path: 'a.js', status: 'reviewed' },
      ],
    });
    expect(done.structuredContent?.findings).toHaveLength(1);
  });
});

test('a model that is denied is told as denied, and nobody else is asked', async () => {
  const session = await init(server, { sampling: {} });
  const reply = await session.call('d', 'smart_review', { code: CODE, language: 'JavaScript', depth: 'deep' });
  const { id } = await reply.message(({ method }) => method === 'sampling/createMessage');
  await session.refuse(id, -1, 'User rejected sampling request');
  const { result } = await reply.response('d', 20_000);
  expect(result?.structuredContent).toMatchObject({ status: 'refused', sampling: 'denied', findings: [] });
  expect(textOf(result)).toContain('User rejected sampling request');
});
