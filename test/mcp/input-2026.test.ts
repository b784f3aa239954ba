/** Questions to a 2026-07-28 client, on raw messages: results that ask, retries that answer, and state nobody may bend. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { init, m26, type Reply, textOf, type WireMessage, type WireResult } from '../support/http-wire.js';
import { fills, isQuestion, QUIZ, repliesIn, says, WILLING } from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';
import { modernMessage } from '../support/wire-messages.js';

let site: Site;
let http: HttpServer;
beforeAll(async () => {
  site = await openSite();
  http = await site.http({ env: QUIZ });
});
afterAll(() => site.close());

interface Round {
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string; readonly params?: object }>>;
}
interface Retry {
  readonly requestState?: unknown;
  readonly inputResponses?: unknown;
}

const both = (kind = 'sampling') => ({ questions: ['a', 'b'].map((key) => ({ key, kind })) });
const ONE = { questions: [{ key: 'a', kind: 'sampling' }] };
let ids = 0;

async function send(tool: string, args: object, retry: Retry = {}, capabilities: object = WILLING): Promise<Reply> {
  ids += 1;
  return m26(http, `r${ids}`, ['tools/call', { name: tool, arguments: args, ...retry }], { capabilities });
}

/** Sends a call or a retry of it and waits for its one response; nothing else may come that asks. */
async function call(tool: string, args: object, retry?: Retry, capabilities?: object): Promise<WireMessage> {
  const reply = await send(tool, args, retry, capabilities);
  const response = await reply.message(({ method }) => method === undefined);
  expect(reply.messages().filter(isQuestion)).toEqual([]);
  return response;
}

function roundIn({ result }: WireMessage): Round {
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
  return result as unknown as Round;
}

/** The result of a call that ended. */
function endIn({ result, error }: WireMessage): WireResult {
  if (!result) throw new Error(`a protocol error came: ${JSON.stringify(error)}`);
  expect(result.resultType).toBe('complete');
  return result;
}

describe('a call that needs answers', () => {
  it('137 · asks everything that is open in one round, and nothing on the stream', async () => {
    const args = { questions: [...both().questions, { key: 'c', kind: 'elicitation' }, { key: 'd', kind: 'roots' }] };
    const { inputRequests, requestState } = roundIn(await call('asking', args));
    expect(Object.keys(inputRequests).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(inputRequests.a).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 100 } });
    expect(inputRequests.c).toMatchObject({ method: 'elicitation/create', params: { mode: 'form' } });
    expect(inputRequests.d?.method).toBe('roots/list');
    const inputResponses = { a: says('1'), b: says('2'), c: fills({ name: 'x', age: 1 }), d: { roots: [] } };
    expect(repliesIn(endIn(await call('asking', args, { requestState, inputResponses })))).toMatchObject([
      { value: { text: '1' } },
      { value: { text: '2' } },
      { value: { name: 'x', age: 1 } },
      { value: [] },
    ]);
  });

  it('goes on over several rounds, each with what is then open', async () => {
    const args = { rounds: [[{ key: 'a' }], [{ key: 'b' }, { key: 'c' }], [{ key: 'd' }]] };
    let round = roundIn(await call('quiz', args));
    for (const open of [['b', 'c'], ['d']]) {
      const inputResponses = Object.fromEntries(Object.keys(round.inputRequests).map((key) => [key, says(key)]));
      round = roundIn(await call('quiz', args, { requestState: round.requestState, inputResponses }));
      expect(Object.keys(round.inputRequests).sort()).toEqual(open);
    }
    const last = await call('quiz', args, { requestState: round.requestState, inputResponses: { d: says('d') } });
    expect(repliesIn(endIn(last)).map(({ kind }) => kind)).toEqual(Array(4).fill('answered'));
  });

  it('140 · ends when the user declines or closes the form, with a complete result', async () => {
    const args = both('elicitation');
    const { requestState } = roundIn(await call('asking', args));
    const inputResponses = { a: { action: 'decline' }, b: { action: 'cancel' } };
    expect(repliesIn(endIn(await call('asking', args, { requestState, inputResponses })))).toEqual([
      { kind: 'declined' },
      { kind: 'cancelled' },
    ]);
  });

  it('140 · shows a wrong form again at most twice', async () => {
    const args = { questions: [{ key: 'a', kind: 'elicitation' }] };
    let response = await call('asking', args);
    for (let shown = 1; shown <= 3; shown += 1) {
      const { requestState, inputRequests } = roundIn(response);
      const [key = ''] = Object.keys(inputRequests);
      response = await call('asking', args, { requestState, inputResponses: { [key]: fills({ name: 1 }) } });
    }
    expect(repliesIn(endIn(response))).toEqual([{ kind: 'failed', message: expect.stringContaining('wrong values') }]);
  });

  it('is served on stdio in the same way', async () => {
    const wire = await openStdio();
    const meta = { 'io.modelcontextprotocol/clientCapabilities': WILLING };
    const ask = (id: string, more: object = {}) =>
      wire.request(modernMessage(id, 'tools/call', { name: 'asking', arguments: ONE, ...more }, meta));
    const { requestState } = roundIn(await ask('s1'));
    const end = await ask('s2', { requestState, inputResponses: { a: says('over stdio') } });
    expect(repliesIn(endIn(end))).toMatchObject([{ value: { text: 'over stdio' } }]);
    expect(wire.seen.filter(({ message }) => isQuestion(message))).toEqual([]);
  });

  it('that is never retried ends by its deadline, and its job as the handler decides', async () => {
    const other = await openSite();
    try {
      // Long enough for the question to come out first, on a busy machine too.
      const short = await other.http({ env: { LONGHAUL_INPUT_TIMEOUT_SECONDS: '3' } });
      const asked = await m26(short, 'x', ['tools/call', { name: 'asking', arguments: ONE }], {
        capabilities: WILLING,
      });
      const { requestState } = roundIn(await asked.response('x'));
      const session = await init(short);
      const done = async () => (await session.result('l', 'list_jobs', { states: ['completed'] })).structuredContent;
      await until(done, (page) => page?.total_count === 1, { what: 'the job to end' });
      const late = { name: 'asking', arguments: ONE, requestState, inputResponses: { a: says('late') } };
      const answer = await m26(short, 'y', ['tools/call', late], { capabilities: WILLING });
      expect(repliesIn(endIn(await answer.response('y')))).toEqual([{ kind: 'timed_out' }]);
    } finally {
      await other.close();
    }
  });
});

describe('capabilities', () => {
  it.each([
    [{}, ['sampling', 'elicitation', 'roots']],
    [{ sampling: {} }, ['elicitation', 'roots']],
    [{ elicitation: { url: {} }, roots: {} }, ['sampling', 'elicitation']],
  ])('137 · of %j are all that is asked for; the rest is answered at once', async (capabilities, missing) => {
    const kinds = ['sampling', 'elicitation', 'roots'];
    const args = { questions: kinds.map((kind) => ({ key: kind, kind })) };
    const response = await call('asking', args, {}, capabilities);
    if (missing.length === kinds.length) {
      expect(repliesIn(endIn(response))).toEqual(kinds.map((kind) => ({ kind: 'unsupported', missing: kind })));
      return;
    }
    expect(Object.keys(roundIn(response).inputRequests)).toEqual(kinds.filter((kind) => !missing.includes(kind)));
  });

  it('dropped on the retry are not relied upon: what needs them is answered so', async () => {
    const args = { rounds: [[{ key: 'a' }], [{ key: 'b' }, { key: 'c', kind: 'roots' }]] };
    const { requestState } = roundIn(await call('quiz', args));
    const inputResponses = { a: says('a') };
    const next = roundIn(await call('quiz', args, { requestState, inputResponses }, { roots: {} }));
    expect(Object.keys(next.inputRequests)).toEqual(['c']);
    const end = await call('quiz', args, { ...next, inputResponses: { c: { roots: [] } } }, { roots: {} });
    expect(repliesIn(endIn(end))).toMatchObject([
      { kind: 'answered' },
      { kind: 'unsupported', missing: 'sampling' },
      { kind: 'answered' },
    ]);
  });

  it('44 · offer tools only where sampling.tools is declared', async () => {
    for (const [capabilities, offered] of [
      [{ sampling: {} }, false],
      [{ sampling: { tools: {} } }, true],
    ] as const) {
      const { inputRequests } = roundIn(
        await call('quiz', { rounds: [[{ key: 'a', tools: true }]] }, {}, capabilities),
      );
      expect('tools' in (inputRequests.a?.params ?? {})).toBe(offered);
      expect(inputRequests.a?.params).not.toHaveProperty('includeContext');
    }
  });
});

describe('a retry', () => {
  it('139 · without responses is asked again, and unknown keys are ignored', async () => {
    const args = both();
    const first = roundIn(await call('asking', args));
    for (const inputResponses of [undefined, {}, { z: says('x') }, { z: 7 }]) {
      const again = roundIn(
        await call('asking', args, { requestState: first.requestState, ...(inputResponses && { inputResponses }) }),
      );
      expect(Object.keys(again.inputRequests).sort()).toEqual(['a', 'b']);
    }
    const partly = roundIn(
      await call('asking', args, { requestState: first.requestState, inputResponses: { b: says('2'), z: 'zzz' } }),
    );
    expect(Object.keys(partly.inputRequests)).toEqual(['a']);
    const end = await call('asking', args, { requestState: partly.requestState, inputResponses: { a: says('1') } });
    expect(repliesIn(endIn(end))).toMatchObject([{ value: { text: '1' } }, { value: { text: '2' } }]);
  });

  it.each<[string, unknown]>([
    ['a text', 'zzz'],
    ['a number', 7],
    ['null', null],
    ['a list', []],
    ['an object without content', { role: 'assistant' }],
    ['content of a wrong type', { content: 7 }],
  ])('139 · with %s for a response is refused with -32602, and the question stays', async (_, response) => {
    const { requestState } = roundIn(await call('asking', ONE));
    const { error } = await call('asking', ONE, { requestState, inputResponses: { a: response } });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('a') });
    const end = await call('asking', ONE, { requestState, inputResponses: { a: says('right') } });
    expect(repliesIn(endIn(end))).toMatchObject([{ value: { text: 'right' } }]);
  });

  it('139 · with the content of a form instead of its envelope is refused', async () => {
    const args = { questions: [{ key: 'a', kind: 'elicitation' }] };
    const { requestState } = roundIn(await call('asking', args));
    const { error } = await call('asking', args, { requestState, inputResponses: { a: { name: 'x', age: 1 } } });
    expect(error?.code).toBe(-32602);
  });

  it('138 · with a state that was bent, cut, forged or is no text is refused with -32602 and starts nothing', async () => {
    const ledger = site.ledger();
    const args = { ...ONE, ledger: ledger.path };
    const { requestState } = roundIn(await call('asking', args));
    const flip = (at: number) => {
      const other = requestState[at] === 'A' ? 'B' : 'A';
      return requestState.slice(0, at) + other + requestState.slice(at + 1);
    };
    const places = [0, 3, Math.floor(requestState.length / 2), requestState.length - 3];
    const states = [
      ...places.map(flip),
      requestState.slice(0, -5),
      `${requestState}x`,
      '',
      'forged',
      7,
      {},
      null,
      [requestState],
    ];
    for (const bent of states) {
      const { error } = await call('asking', args, { requestState: bent, inputResponses: { a: says('x') } });
      expect([bent, error?.code]).toEqual([bent, -32602]);
    }
    expect((await ledger.lines()).filter((line) => line.startsWith('run'))).toHaveLength(1);
    const end = await call('asking', args, { requestState, inputResponses: { a: says('x') } });
    expect(endIn(end).isError).toBeUndefined();
  });

  it('138 · of another tool, other arguments or another installation is refused with -32602', async () => {
    const { requestState } = roundIn(await call('asking', ONE));
    const inputResponses = { a: says('x') };
    const other = { questions: [{ key: 'a', kind: 'roots' }] };
    expect((await call('asking', other, { requestState, inputResponses })).error?.code).toBe(-32602);
    const quiz = { rounds: [[{ key: 'a' }]] };
    expect((await call('quiz', quiz, { requestState, inputResponses })).error?.code).toBe(-32602);
    expect((await call('echo', { text: 'x' }, { requestState, inputResponses })).error?.code).toBe(-32602);
    const elsewhere = await openSite();
    try {
      const there = await elsewhere.http();
      const params = { name: 'asking', arguments: ONE, requestState, inputResponses };
      const reply = await m26(there, 'z', ['tools/call', params], { capabilities: WILLING });
      expect((await reply.response('z')).error?.code).toBe(-32602);
    } finally {
      await elsewhere.close();
    }
  });

  it('138 · that is sent twice, or at once, is harmless: the first answer stands and the work is done once', async () => {
    const ledger = site.ledger();
    const args = { ...ONE, ledger: ledger.path };
    const { requestState } = roundIn(await call('asking', args));
    const responses = ['one', 'two', 'three'].map((text) => ({ requestState, inputResponses: { a: says(text) } }));
    const ends = await Promise.all(responses.map((retry) => call('asking', args, retry)));
    const later = await call('asking', args, { requestState, inputResponses: { a: says('later') } });
    const texts = [...ends, later].map((end) => textOf(endIn(end)));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toMatch(/one|two|three/);
    expect((await ledger.lines()).filter((line) => line.startsWith('done'))).toHaveLength(1);
  });

  it('of a job that was cancelled meanwhile says so', async () => {
    const ledger = site.ledger();
    const args = { ...ONE, ledger: ledger.path };
    const { requestState } = roundIn(await call('asking', args));
    const session = await init(http);
    const id = (await ledger.line('run')).split(' ')[1] ?? '';
    await session.result('c', 'cancel_job', { job_id: id, reason: 'not now' });
    const { result } = await call('asking', args, { requestState, inputResponses: { a: says('x') } });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain('not now');
  });

  it('137 · leaves its job waiting between the rounds: a round that ended is no closed stream', async () => {
    const ledger = site.ledger();
    roundIn(await call('asking', { ...ONE, ledger: ledger.path }));
    const session = await init(http);
    const id = (await ledger.line('run')).split(' ')[1] ?? '';
    const { structuredContent } = await session.result('g', 'get_job', { job_id: id });
    expect(structuredContent?.state).toBe('parked');
  });

  it('goes to any front end of the installation', async () => {
    const second = await site.http({ env: QUIZ, workers: 0 });
    const { requestState } = roundIn(await call('asking', ONE));
    const params = { name: 'asking', arguments: ONE, requestState, inputResponses: { a: says('elsewhere') } };
    const reply = await m26(second, 'e', ['tools/call', params], { capabilities: WILLING });
    expect(repliesIn(endIn(await reply.response('e')))).toMatchObject([{ value: { text: 'elsewhere' } }]);
  });
});
