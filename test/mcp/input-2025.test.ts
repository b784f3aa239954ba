/** Questions to a 2025-era client, on raw messages: where they come, in which shapes and orders answers may come back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { init, post, type Reply, textOf, type WireMessage, type WireSession } from '../support/http-wire.js';
import {
  answerTo,
  fills,
  QUIZ,
  question,
  questionsOn,
  repliesIn,
  says,
  WILLING,
  withdrawnOn,
} from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let http: HttpServer;
beforeAll(async () => {
  site = await openSite();
  // Here all questions are to lie with the client together; how many may is tested elsewhere.
  http = await site.http({ env: { ...QUIZ, LONGHAUL_CLIENT_QUESTIONS: '10' } });
});
afterAll(() => site.close());

let calls = 0;
/** Calls the asking tool; its questions are put together. */
function ask(session: WireSession, ...questions: readonly [key: string, kind: string][]): Promise<Reply> {
  calls += 1;
  return session.call(`ask-${calls}`, 'asking', { questions: questions.map(([key, kind]) => ({ key, kind })) });
}

/** Waits for the one answer of a call to the asking tool. */
async function replies(call: Reply, limitMs?: number): Promise<Record<string, unknown>[]> {
  const isAnswer = ({ id, method }: WireMessage) => method === undefined && String(id).startsWith('ask-');
  const { result } = await call.message(isAnswer, limitMs);
  return repliesIn(result);
}

const value = (text: string, more: object = {}) => ({
  kind: 'answered',
  value: { text, toolCalls: [], truncated: false, ...more },
});
const text = (words: string) => ({ type: 'text', text: words });

describe('a model’s answer', () => {
  it.each<[string, object, object]>([
    ['of one block', says('hi'), value('hi', { model: 'm' })],
    ['of a list of one', { ...says(''), content: [text('hi')] }, value('hi', { model: 'm' })],
    ['of several text blocks', { ...says(''), content: [text('a'), text('b')] }, value('a\n\nb', { model: 'm' })],
    [
      'with a thinking block',
      { ...says(''), content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, text('hi')] },
      value('hi', { model: 'm' }),
    ],
    ['without a model', { role: 'assistant', content: text('hi') }, value('hi')],
    ['without a role', { content: text('hi'), model: 'm' }, value('hi', { model: 'm' })],
    ['with a model of another type', { role: 'assistant', model: 7, content: text('hi') }, value('hi')],
    [
      'that calls a tool which nobody offered, without the call,',
      {
        ...says(''),
        stopReason: 'toolUse',
        content: [{ type: 'tool_use', id: 'u', name: 'look_up', input: { word: 'x' } }],
      },
      value('', { model: 'm', stopReason: 'toolUse' }),
    ],
    ['with no blocks', { ...says(''), content: [] }, value('', { model: 'm' })],
    ['with an empty text', says(''), value('', { model: 'm' })],
    [
      'with an image only',
      { ...says(''), content: { type: 'image', data: 'AA==', mimeType: 'image/png' } },
      value('', { model: 'm' }),
    ],
    [
      'with unknown fields',
      { ...says('hi'), resultType: 'complete', extra: { deep: [1] }, _meta: { a: 1 } },
      value('hi', { model: 'm' }),
    ],
    [
      'that was cut off',
      { ...says('hal'), stopReason: 'maxTokens' },
      value('hal', { model: 'm', stopReason: 'maxTokens', truncated: true }),
    ],
    ['of half a megabyte', says('x'.repeat(500_000)), value('x'.repeat(500_000), { model: 'm' })],
  ])('%s reaches the handler', async (_, answer, expected) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'sampling']);
    await answerTo(session, await question(call, 'question a'), answer);
    const { result } = await call.response(`ask-${calls}`);
    expect(JSON.parse(String(result?.structuredContent?.text))).toEqual([expected]);
    expect(questionsOn(call)).toHaveLength(1);
    expect(withdrawnOn(call)).toEqual([]);
  });

  it.each<[string, object]>([
    ['without content', { role: 'assistant', model: 'm' }],
    ['that is empty', {}],
    ['whose content is no block', { ...says(''), content: 7 }],
    ['whose content is null', { ...says(''), content: null }],
    ['whose blocks are no objects', { ...says(''), content: ['hi'] }],
    ['that is a form', { action: 'accept', content: 'x' }],
  ])('%s is a failure that the handler decides on', async (_, answer) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'sampling']);
    await answerTo(session, await question(call, 'question a'), answer);
    expect(await replies(call)).toEqual([{ kind: 'failed', message: expect.stringMatching(/malformed|read/) }]);
    expect(questionsOn(call)).toHaveLength(1);
  });

  it.each([
    [-1, 'User rejected sampling request', 'refused'],
    [-1, 'no', 'refused'],
    [-32603, 'Sampling request rejected', 'refused'],
    [-32000, 'The user has denied permission to call this method.', 'refused'],
    [12345, 'Declined by the user', 'refused'],
    [-1, 'Rate limit exceeded', 'failed'],
    [429, 'User rate limit exceeded: request rejected', 'failed'],
    [-32603, 'Access denied: invalid API key', 'failed'],
    [-32600, 'Sampling not supported', 'failed'],
    [-32601, 'Method not found', 'failed'],
    [-32042, 'nobody is there', 'failed'],
    [0, '', 'failed'],
  ])('42 · that is error %i, "%s", is %s, with its words', async (code, words, kind) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'sampling']);
    const { id } = await question(call, 'question a');
    expect((await session.refuse(id, code, words)).status).toBe(202);
    expect(await replies(call)).toEqual([{ kind, message: expect.stringContaining(words) }]);
    expect(questionsOn(call)).toHaveLength(1);
  });
});

describe('a form', () => {
  it.each([
    ['decline', { action: 'decline' }, 'declined'],
    ['decline with null content', { action: 'decline', content: null }, 'declined'],
    ['cancel', { action: 'cancel' }, 'cancelled'],
    ['cancel with content', { action: 'cancel', content: { name: 'x', age: 1 } }, 'cancelled'],
  ])('45 · answered by %s ends without an error and is shown once', async (_, answer, kind) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'elicitation']);
    await answerTo(session, await question(call, 'form a'), answer);
    expect(await replies(call)).toEqual([{ kind }]);
    expect(questionsOn(call)).toHaveLength(1);
  });

  it('47 · is flat, says its fields, and asks for what is needed', async () => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'elicitation']);
    const asked = await question(call, 'form a');
    expect(asked.params).toEqual({
      mode: 'form',
      message: 'form a',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 150 } },
        required: ['name', 'age'],
      },
    });
    await answerTo(session, asked, fills({ name: 'x', age: 150 }));
    expect(await replies(call)).toEqual([{ kind: 'answered', value: { name: 'x', age: 150 } }]);
  });

  it.each<[string, object, RegExp]>([
    ['a wrong type', fills({ name: 'x', age: 'old' }), /age/],
    ['a value out of bounds', fills({ name: 'x', age: 151 }), /age/],
    ['a missing field', fills({ name: 'x' }), /age/],
    ['no content', { action: 'accept' }, /name.*age/],
    ['null for content', fills(null), /name.*age/],
    ['a list for content', fills([]), /form|expected/],
    ['a field that was not asked for', fills({ name: 'x', age: 1, admin: true }), /admin/],
  ])('46 · with %s is shown again with what is wrong, and taken once it is right', async (_, wrong, fault) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'elicitation']);
    await answerTo(session, await question(call, 'form a'), wrong);
    const again = await call.message(({ params }) => String(params?.message).startsWith('form a\n'));
    expect(again.params?.message).toMatch(fault);
    await answerTo(session, again, fills({ name: 'x', age: 2 }));
    expect(await replies(call)).toEqual([{ kind: 'answered', value: { name: 'x', age: 2 } }]);
    expect(questionsOn(call)).toHaveLength(2);
  });

  it('46 · that stays wrong is shown three times in all and never used', async () => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'elicitation']);
    for (let shown = 1; shown <= 3; shown += 1) {
      await call.message(() => questionsOn(call).length === shown);
      const asked = questionsOn(call).at(-1);
      if (asked) await answerTo(session, asked, fills({ name: 'x', age: -1 }));
    }
    expect(await replies(call)).toEqual([{ kind: 'failed', message: expect.stringContaining('wrong values') }]);
    expect(questionsOn(call)).toHaveLength(3);
  });

  it.each<[string, object]>([
    ['without an action', { content: { name: 'x', age: 1 } }],
    ['with an unknown action', { action: 'maybe' }],
  ])('answered %s is a refusal', async (_, answer) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'elicitation']);
    await answerTo(session, await question(call, 'form a'), answer);
    expect(await replies(call)).toEqual([{ kind: 'failed', message: expect.stringContaining('malformed') }]);
  });
});

describe('roots', () => {
  it.each<[string, object, object]>([
    [
      'of folders',
      { roots: [{ uri: 'file:///srv/a', name: 'a' }, { uri: 'file:///srv/b%20c' }] },
      { kind: 'answered', value: ['/srv/a', '/srv/b c'] },
    ],
    ['of none', { roots: [] }, { kind: 'answered', value: [] }],
    [
      'that are not all files',
      { roots: [{ uri: 'https://x/y' }, { uri: 'file:///srv/a' }] },
      { kind: 'answered', value: ['/srv/a'] },
    ],
    ['without a list', { folders: [] }, { kind: 'failed', message: expect.any(String) }],
    ['of a list of texts', { roots: ['file:///srv/a'] }, { kind: 'failed', message: expect.any(String) }],
    ['of entries without an address', { roots: [{ name: 'a' }] }, { kind: 'failed', message: expect.any(String) }],
  ])('%s reach the handler', async (_, answer, expected) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'roots']);
    await answerTo(session, await question(call, 'roots'), answer);
    expect(await replies(call)).toEqual([expected]);
  });
});

const ORDERS = [
  ['a', 'b', 'c'],
  ['a', 'c', 'b'],
  ['b', 'a', 'c'],
  ['b', 'c', 'a'],
  ['c', 'a', 'b'],
  ['c', 'b', 'a'],
];

describe('several questions', () => {
  it.each(ORDERS)('answered in the order %s %s %s are each put once and answer the right place', async (...order) => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'sampling'], ['b', 'sampling'], ['c', 'sampling']);
    const open = new Map(
      await Promise.all(ORDERS[0]?.map(async (key) => [key, await question(call, `question ${key}`)] as const) ?? []),
    );
    for (const key of order) await answerTo(session, open.get(key) ?? {}, says(`answer ${key}`));
    expect(await replies(call)).toMatchObject(['a', 'b', 'c'].map((key) => ({ value: { text: `answer ${key}` } })));
    expect(questionsOn(call)).toHaveLength(3);
    expect(withdrawnOn(call)).toEqual([]);
  });

  it('of every kind, answered at once, end as the handler decides', async () => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'sampling'], ['b', 'elicitation'], ['c', 'roots'], ['d', 'sampling']);
    const [a, b, c, d] = await Promise.all(
      ['question a', 'form b', 'roots', 'question d'].map((words) => question(call, words)),
    );
    await Promise.all([
      session.refuse(d?.id, -1, 'no'),
      session.answer(c?.id, { roots: [] }),
      session.answer(b?.id, { action: 'decline' }),
      session.answer(a?.id, says('yes')),
    ]);
    expect(await replies(call)).toEqual([
      value('yes', { model: 'm' }),
      { kind: 'declined' },
      { kind: 'answered', value: [] },
      { kind: 'refused', message: expect.stringContaining('no') },
    ]);
  });

  it('one after another number more than eight in one call', async () => {
    const session = await init(http, WILLING);
    const rounds = Array.from({ length: 12 }, (_, index) => [{ key: `k${index}` }]);
    const call = await session.call('many', 'quiz', { rounds });
    for (const [{ key } = { key: '' }] of rounds)
      await answerTo(session, await question(call, `question ${key}`), says(key));
    const got = repliesIn((await call.response('many')).result);
    expect(got.map((reply) => Reflect.get(Object(reply.value), 'text'))).toEqual(rounds.map(([one]) => one?.key));
    expect(questionsOn(call)).toHaveLength(12);
  });
});

describe('an answer', () => {
  it('38, 39 · is asked for on the call’s own stream, whether a GET stream is open or not', async () => {
    for (const withStream of [false, true]) {
      const session = await init(http, WILLING);
      const get = withStream ? await session.stream() : undefined;
      const call = await ask(session, ['a', 'sampling']);
      const asked = await question(call, 'question a');
      await answerTo(session, asked, says('hi'));
      // Before a call that hears of nothing would look by itself.
      expect(await replies(call, 4_000)).toMatchObject([{ kind: 'answered' }]);
      expect(questionsOn(call)).toHaveLength(1);
      expect(get ? get.messages() : []).toEqual([]);
      get?.destroy();
    }
  });

  it('given twice counts once, the first time', async () => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'sampling'], ['b', 'sampling']);
    const [a, b] = await Promise.all([question(call, 'question a'), question(call, 'question b')]);
    await answerTo(session, a ?? {}, says('first'));
    await answerTo(session, a ?? {}, says('second'));
    expect((await session.refuse(a?.id, -1, 'third')).status).toBe(202);
    await answerTo(session, b ?? {}, says('b'));
    await answerTo(session, b ?? {}, says('late'));
    expect(await replies(call)).toMatchObject([{ value: { text: 'first' } }, { value: { text: 'b' } }]);
    await answerTo(session, a ?? {}, says('after the end'));
    expect(textOf(await session.result('well', 'echo', { text: 'well' }))).toBe('well');
  });

  it('from another session or to another id changes nothing', async () => {
    const [session, other] = await Promise.all([init(http, WILLING), init(http, WILLING)]);
    const call = await ask(session, ['a', 'sampling']);
    const asked = await question(call, 'question a');
    await answerTo(other, asked, says('foreign'));
    for (const id of [Number(asked.id) + 1, 4_711, 'x', `ask-${calls}`])
      await answerTo(session, { id }, says('astray'));
    await answerTo(session, asked, says('mine'));
    expect(await replies(call)).toMatchObject([{ value: { text: 'mine' } }]);
  });

  it('that is no JSON-RPC response is refused, and the question stays', async () => {
    const session = await init(http, WILLING);
    const call = await ask(session, ['a', 'sampling']);
    const { id } = await question(call, 'question a');
    const bodies = [
      { id, result: 'hi' },
      { id, result: null },
      { id },
      { id: null, result: says('x') },
      { id, error: 'no' },
      { id, error: { code: 'x', message: 1 } },
    ];
    for (const body of bodies)
      expect((await post(http, { jsonrpc: '2.0', ...body }, session.headers)).status).toBe(400);
    await answerTo(session, { id }, says('at last'));
    expect(await replies(call)).toMatchObject([{ value: { text: 'at last' } }]);
  });
});

describe('a client', () => {
  it.each([
    ['sampling', {}],
    ['elicitation', { sampling: {}, roots: {} }],
    ['elicitation', { elicitation: { url: {} } }],
    ['roots', { sampling: {}, elicitation: {} }],
  ] as const)(
    '40, 47 · without %s (%j) is never asked, and its call answers at once what is missing',
    async (kind, capabilities) => {
      const session = await init(http, capabilities);
      const get = await session.stream();
      const call = await ask(session, ['a', kind]);
      expect(await replies(call)).toEqual([{ kind: 'unsupported', missing: kind }]);
      expect([...questionsOn(call), ...get.messages()]).toEqual([]);
      get.destroy();
    },
  );

  it.each([{ elicitation: {} }, { elicitation: { form: {} } }, { elicitation: { form: {}, url: {} } }])(
    '47 · that declares %j is shown forms',
    async (capabilities) => {
      const session = await init(http, capabilities);
      const call = await ask(session, ['a', 'elicitation']);
      await answerTo(session, await question(call, 'form a'), { action: 'decline' });
      expect(await replies(call)).toEqual([{ kind: 'declined' }]);
    },
  );

  it.each([
    [{ sampling: {} }, false],
    [{ sampling: { tools: {} } }, true],
    [{ sampling: { context: {} } }, false],
  ])('44 · that declares %j is offered tools: %s, and never asked for context', async (capabilities, offered) => {
    const session = await init(http, capabilities);
    const call = await session.call('tools', 'quiz', { rounds: [[{ key: 'a', tools: true }]] });
    const asked = await question(call, 'question a');
    expect('tools' in (asked.params ?? {})).toBe(offered);
    expect('toolChoice' in (asked.params ?? {})).toBe(offered);
    expect(asked.params).not.toHaveProperty('includeContext');
    await answerTo(session, asked, says('x'));
    await call.response('tools');
  });
});
