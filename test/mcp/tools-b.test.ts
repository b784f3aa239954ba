/** The tools that ask their client, through the client lines that hosts embed: model, user and folders are the test's. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, textOf } from '../support/http-wire.js';
import { workerOf, workersOf } from '../support/processes.js';
import { type Asked, CLIENT_LINES, type ClientLine, connectClient, type SdkClient } from '../support/sdk-clients.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const EXAMPLE = ['--tools', fileURLToPath(new URL('../../examples/connect-db.ts', import.meta.url))];
const CODE = 'const key = input;\neval(key);\n';
const FINDING = {
  line: 2,
  quote: 'eval(key);',
  severity: 'high',
  category: 'security',
  title: 'eval of input',
  message: 'Runs anything.',
};
const FINDINGS = { findings: [FINDING] };
const FIXES = { fixes: [{ finding_id: 'F1', find: 'eval(key);', replace: 'JSON.parse(key);' }] };
const REVISED = 'const key = input;\nJSON.parse(key);\n';
const TESTS = { test_code: 'test();\n', framework: 'vitest', notes: [] };

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ args: EXAMPLE });
});
afterAll(() => site.close());

const EACH = CLIENT_LINES.flatMap((line) => [{ line, over: 'stdio' } as const, { line, over: 'HTTP' } as const]);

/** A stdio server is started by its client, and leaves its jobs to the worker of the HTTP server. */
function placeOf(over: 'stdio' | 'HTTP') {
  const args = ['--workers', '0', '--root', site.root, ...EXAMPLE];
  return over === 'HTTP' ? { url: server.url } : { stdio: site.commandLine('stdio', { args }) };
}

type Answer = { readonly says: unknown; readonly stopReason?: string } | { readonly throws: string };
type Filled = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, string | number> };

/** What the client's model and user answer next, and what they were asked. */
const script = {
  model: [] as Answer[],
  /** Answers to questions that come together, by the form they ask for. */
  byForm: [] as [sign: string, says: unknown][],
  user: [] as Filled[],
  asked: [] as Asked[],
};
afterEach(() => {
  const left = script.model.length + script.user.length;
  Object.assign(script, { model: [], byForm: [], user: [], asked: [] });
  expect(left).toBe(0);
});

function sampling(params: Asked) {
  script.asked.push(params);
  const prompt = JSON.stringify(params.messages);
  const formed = script.byForm.find(([sign]) => prompt.includes(sign));
  const answer: Answer = formed
    ? { says: formed[1] }
    : (script.model.shift() ?? { throws: 'the test has no further answer' });
  if ('throws' in answer) throw Object.assign(new Error(answer.throws), { code: -1 });
  const { says, stopReason = 'endTurn' } = answer;
  const text = typeof says === 'string' ? says : JSON.stringify(says);
  return { role: 'assistant' as const, model: 'test-model', stopReason, content: { type: 'text' as const, text } };
}

function elicitation(params: Asked) {
  script.asked.push(params);
  return script.user.shift() ?? { action: 'cancel' as const };
}

function connect(line: ClientLine, over: 'stdio' | 'HTTP'): Promise<SdkClient> {
  return connectClient(line, placeOf(over), { roots: [site.root], sampling, elicitation });
}

describe.each(EACH)('a $line client over $over', ({ line, over }) => {
  let client: SdkClient;
  beforeAll(async () => {
    client = await connect(line, over);
    await client.listTools();
  });
  afterAll(() => client?.close());
  const review = async () => {
    const result = await client.callTool('review_code', { code: CODE, language: 'JavaScript' });
    expect(result.isError, textOf(result)).toBeFalsy();
    return result;
  };

  test('has code reviewed by its model in two rounds', async () => {
    script.model = [{ says: FINDINGS }, { says: `Here:\n\`\`\`json\n${JSON.stringify(FIXES)}\n\`\`\`` }];
    const result = await review();
    expect(result.structuredContent).toMatchObject({
      status: 'complete',
      complete: true,
      model: 'test-model',
      sampling: 'used',
      findings: [{ ...FINDING, fix: { find: 'eval(key);', replace: 'JSON.parse(key);' } }],
      revised_code: REVISED,
    });
    expect(textOf(result)).toContain('eval of input');
    expect(script.asked).toHaveLength(2);
    for (const asked of script.asked) {
      expect(Object.keys(asked)).toEqual(expect.arrayContaining(['messages', 'maxTokens', 'systemPrompt']));
      for (const unwanted of ['tools', 'toolChoice', 'includeContext']) expect(asked).not.toHaveProperty(unwanted);
    }
  });

  test('has code reviewed by its model, mended and scored', async () => {
    const scores = { security: 9, correctness: 9, performance: null, readability: 8 };
    const SCORED = { scores, summary: 'Mend it.', drop: [] };
    script.model = [{ says: FINDINGS }];
    script.byForm = [
      ['{\\"fixes', FIXES],
      ['{\\"scores', SCORED],
    ];
    const result = await client.callTool('smart_review', { code: CODE, language: 'JavaScript' });
    expect(result.structuredContent).toMatchObject({
      status: 'complete',
      findings: [{ line: 2, fix: {} }],
      scores: { ...scores, security: 4, overall: 5 },
      verdict: 'Mend it.',
    });
    expect(script.asked).toHaveLength(3);
  });

  test('is told of no issues only by an empty list', async () => {
    script.model = [{ says: { findings: [] } }];
    expect((await review()).structuredContent).toMatchObject({ status: 'complete', complete: true, findings: [] });
  });

  test.each([
    ['unparseable', 3, { says: 'Looks good to me!' }],
    ['unparseable', 3, { says: '' }],
    ['truncated', 2, { says: '{"findings": [{"li', stopReason: 'maxTokens' }],
    ['refused', 1, { says: 'I cannot do that.', stopReason: 'refusal' }],
  ] as const)('is told that an answer was %s, the %i times it was asked for: %j', async (status, times, answer) => {
    script.model = Array(times).fill(answer);
    const result = await review();
    expect(result.structuredContent).toMatchObject({ status, complete: false });
    expect(textOf(result)).toContain(`NOT REVIEWED (${status})`);
  });

  test('has tests written by its model', async () => {
    script.model = [{ says: TESTS }];
    const result = await client.callTool('generate_tests', { code: CODE, framework: 'vitest' });
    expect(result.structuredContent).toMatchObject({ status: 'complete', ...TESTS });
    expect(script.asked).toHaveLength(1);
  });

  test('is told where it can work', async () => {
    const result = await client.callTool('where_can_i_work', {});
    expect(result.structuredContent).toMatchObject({
      client_roots: 'told',
      folders: [
        { path: site.root, source: 'server' },
        { path: site.root, source: 'client', name: 'a root' },
      ],
    });
  });

  test('shows the form of the example, whose choices have titles', async () => {
    script.user = [{ action: 'accept', content: { host: 'db.example', env: 'prod' } }];
    const result = await client.callTool('connect_db', {});
    expect(result.structuredContent).toMatchObject({ status: 'ready', host: 'db.example', port: 5432, env: 'prod' });
    expect(script.asked).toMatchObject([
      {
        message: 'Which database should be used?',
        requestedSchema: {
          type: 'object',
          properties: {
            host: { type: 'string', minLength: 1 },
            port: { type: 'integer', minimum: 1, maximum: 65_535, default: 5432 },
            env: { type: 'string', default: 'dev', oneOf: [{ const: 'dev', title: 'Development' }, {}, {}] },
          },
          required: ['host'],
        },
      },
    ]);
  });

  test.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ] as const)('may %s the form, once, which is no error', async (action, status) => {
    script.user = [{ action }];
    const result = await client.callTool('connect_db', {});
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ status });
    expect(script.asked).toHaveLength(1);
  });

  test('may refuse its model, which is told and never taken for a review', async () => {
    script.model = [{ throws: 'User rejected sampling request' }];
    // A client of 2026 cannot tell its server of a refusal: the call ends on the client's own side.
    if (line === '2.x of 2026') return expect(review()).rejects.toThrow('User rejected sampling request');
    const result = await review();
    expect(result.structuredContent).toMatchObject({ status: 'refused', complete: false });
    expect(textOf(result)).toContain('User rejected sampling request');
    expect(script.asked).toHaveLength(1);
  });
});

describe.each(EACH)('a $line client over $over that offers nothing', ({ line, over }) => {
  test('is asked nothing, and told at once what is missing and what to do', async () => {
    const client = await connectClient(line, placeOf(over), {});
    try {
      const tools = {
        review_code: { code: CODE, language: 'JavaScript' },
        smart_review: { code: CODE, language: 'JavaScript' },
        generate_tests: { code: CODE },
        connect_db: {},
      };
      for (const [name, args] of Object.entries(tools)) {
        const result = await client.callTool(name, args);
        expect(result.structuredContent).toMatchObject({ status: 'unavailable' });
        expect(textOf(result)).toMatch(/does not offer (sampling|elicitation)/);
      }
      const where = await client.callTool('where_can_i_work', {});
      expect(textOf(where)).toMatch(/does not offer roots[\s\S]*--root DIR/);
      const given = await client.callTool('connect_db', { host: 'db.example', port: 1234 });
      expect(given.structuredContent).toMatchObject({ status: 'ready', host: 'db.example', port: 1234, env: 'dev' });
    } finally {
      await client.close();
    }
  });
});

/** Kills the one worker of the site and waits for the next. */
async function killWorker(): Promise<void> {
  const first = await workerOf(site.dataDir);
  process.kill(first, 'SIGKILL');
  const isNext = (pids: readonly number[]) => pids.length === 1 && !pids.includes(first);
  await until(() => workersOf(site.dataDir), isNext, { what: 'another worker', limitMs: 60_000 });
}

test('a form of the example outlives the worker that asked, and is not shown twice', async () => {
  const session = await init(server, { elicitation: {} });
  const reply = await session.call('form', 'connect_db', {});
  const { id } = await reply.message(({ method }) => method === 'elicitation/create');
  await killWorker();
  await session.answer(id, { action: 'accept', content: { host: 'db.example' } });
  const { result } = await reply.response('form', 60_000);
  expect(result?.structuredContent).toMatchObject({ status: 'ready', host: 'db.example', port: 5432, env: 'dev' });
  expect(reply.messages().filter(({ method }) => method === 'elicitation/create')).toHaveLength(1);
});

test('a review whose worker dies at each question asks neither again', async () => {
  const session = await init(server, { sampling: {} });
  const reply = await session.call('review', 'review_code', { code: CODE, language: 'JavaScript' });
  const asked = () => reply.messages().filter(({ method }) => method === 'sampling/createMessage');
  for (const [index, says] of [FINDINGS, FIXES].entries()) {
    await until(asked, (seen) => seen.length > index, { what: `question ${index + 1}`, limitMs: 60_000 });
    await killWorker();
    const content = { type: 'text', text: JSON.stringify(says) };
    await session.answer(asked()[index]?.id, { role: 'assistant', model: 'm', content });
  }
  const { result } = await reply.response('review', 60_000);
  expect(result?.structuredContent).toMatchObject({ status: 'complete', revised_code: REVISED });
  expect(asked()).toHaveLength(2);
});

test('code that is too large for one request is not asked about, and told so', async () => {
  const session = await init(server, { sampling: {} });
  const reply = await session.call('huge', 'review_code', { code: 'x'.repeat(1_000_000), language: 'Python' });
  const { result } = await reply.response('huge', 20_000);
  expect(result?.structuredContent).toMatchObject({
    status: 'exhausted',
    complete: false,
    findings: [],
    summary: 'NOT REVIEWED (exhausted)',
    notes: [expect.stringContaining('LONGHAUL_REQUEST_INPUT_TOKENS')],
  });
  expect(reply.messages().filter(({ method }) => method === 'sampling/createMessage')).toEqual([]);
});

test('large code is put to the model line by line, each once, in several questions', async () => {
  const session = await init(server, { sampling: {} });
  const code = `${'x = 1\n'.repeat(10_000)}last = 2\n`;
  const reply = await session.call('large', 'review_code', { code, language: 'Python' });
  const answered = new Set<unknown>();
  const lines: string[] = [];
  while (lines.length < 10_001) {
    const question = await reply.message(
      ({ method, id }) => method === 'sampling/createMessage' && !answered.has(id),
      20_000,
    );
    const { messages } = question.params as { messages: { content: { text: string } }[] };
    lines.push(...(messages[0]?.content.text.match(/^ *\d+ \| .*$/gm) ?? []));
    answered.add(question.id);
    await session.answer(question.id, {
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: '{"findings":[]}' },
    });
  }
  expect(new Set(lines).size).toBe(10_001);
  expect(lines).toContain('10001 | last = 2');
  const { result } = await reply.response('large', 20_000);
  expect(result?.structuredContent).toMatchObject({ status: 'complete', findings: [] });
  expect(answered.size).toBeGreaterThan(3);
});

test('a tool of ones own cannot take the name of one that is there', async () => {
  for (const name of ['get_job', 'where_can_i_work', 'review_code']) {
    const file = join(site.root, `${name}.ts`);
    const text = await readFile(EXAMPLE[1] ?? '', 'utf8');
    await writeFile(file, text.replace(`name: 'connect_db'`, `name: '${name}'`));
    const started = site.run('http', { args: ['--port', '0', '--tools', file] });
    expect(await started.ended).toBe('exit 2');
    expect(started.stderr()).toContain(`Two tools are named ${name}`);
  }
});

test('a form filled in wrongly is shown again with what is wrong', async () => {
  const session = await init(server, { elicitation: {} });
  const reply = await session.call('form', 'connect_db', {});
  const shown = () => reply.messages().filter(({ method }) => method === 'elicitation/create');
  const { id } = await reply.message(({ method }) => method === 'elicitation/create');
  await session.answer(id, { action: 'accept', content: { host: 'db.example', port: 70_000 } });
  await reply.message((message) => message.method === 'elicitation/create' && message.id !== id);
  expect(shown()[1]?.params?.message).toContain('port: ');
  await session.answer(shown()[1]?.id, { action: 'accept', content: { host: 'db.example', port: 7 } });
  expect((await reply.response('form')).result?.structuredContent).toMatchObject({ status: 'ready', port: 7 });
});

test('79 · code is taken up to the limit of the body, and refused as JSON above it', async () => {
  const session = await init(server);
  const send = (chars: number) =>
    session.call(`big-${chars}`, 'review_code', { code: 'x'.repeat(chars), language: 'C' });
  for (const chars of [90_000, 150_000, 2_097_152]) {
    const { result } = await (await send(chars)).response(`big-${chars}`, 20_000);
    expect(result?.structuredContent).toMatchObject({ status: 'unavailable' });
  }
  const { result } = await (await send(2_097_153)).response('big-2097153', 20_000);
  expect(result).toMatchObject({ isError: true });
  const refused = await send(5_000_000);
  expect(refused.status).toBe(413);
  expect((await refused.json()).error).toBeDefined();
});
