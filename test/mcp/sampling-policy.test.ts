/** The limits on what a client is asked, on raw messages: how many questions at a time, by which model, for how many tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { init, m26, type Reply, type WireSession } from '../support/http-wire.js';
import {
  answerTo,
  QUIZ,
  question,
  questionsOn,
  repliesIn,
  says,
  WILLING,
  withdrawnOn,
  wordsOf,
} from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

/** Longer than a busy machine takes from a question to its answer. */
const WAIT_SECONDS = 3;

let site: Site;
let http: HttpServer;
let strict: HttpServer;
beforeAll(async () => {
  site = await openSite();
  http = await site.http({ env: QUIZ });
});
afterAll(() => site.close());

/** Calls the quiz, whose questions are put together. */
const ask = (session: WireSession, id: string, ...keys: readonly string[]): Promise<Reply> =>
  session.call(id, 'quiz', { rounds: [keys.map((key) => ({ key }))] });
/** The words of all questions that came on these streams. */
const put = (...calls: readonly Reply[]) => calls.flatMap((call) => questionsOn(call).map(wordsOf));
/** What has to pass the server before a question that may come would have come: a job of its own, from call to result. */
const aWhile = async (session: WireSession, id: string) => session.result(id, 'quiz', { rounds: [] });

describe('a client', () => {
  it('is asked two questions at a time over all its calls, and the calls take turns', async () => {
    const session = await init(http, WILLING);
    const keys = Array.from({ length: 8 }, (_, index) => `a${index}`);
    const first = await ask(session, 'a', ...keys);
    for (const words of ['question a0', 'question a1']) await question(first, words);
    const second = await ask(session, 'b', 'b1');
    for (const id of ['w1', 'w2', 'w3']) await aWhile(session, id);
    expect(put(first, second)).toEqual(['question a0', 'question a1']);
    for (const [index, key] of keys.entries()) {
      await answerTo(session, await question(first, `question ${key}`), says(key));
      // Two lie with the client until none is left, whoever asks them; the next comes, and no more than that.
      const due = Math.min(9, index + 3);
      await Promise.race([first, second].map((call) => call.message(() => put(first, second).length >= due)));
      await aWhile(session, `after ${key}`);
      expect(put(first, second)).toHaveLength(due);
      const b1 = questionsOn(second);
      if (index === 2) expect(b1).toHaveLength(1);
      if (index === keys.length - 2) await answerTo(session, b1[0] ?? {}, says('b1'));
    }
    expect(repliesIn((await first.response('a')).result)).toHaveLength(8);
    expect(repliesIn((await second.response('b')).result)).toMatchObject([{ value: { text: 'b1' } }]);
    expect([...withdrawnOn(first), ...withdrawnOn(second)]).toEqual([]);
  });

  it('that keeps two waiting holds up nobody else', async () => {
    const [silent, other] = [await init(http, WILLING), await init(http, WILLING)];
    const call = await ask(silent, 'a', 'a1', 'a2', 'a3');
    await question(call, 'question a2');
    const served = await ask(other, 'b', 'b1');
    await answerTo(other, await question(served, 'question b1'), says('served'));
    expect(repliesIn((await served.response('b')).result)).toMatchObject([{ value: { text: 'served' } }]);
    expect(put(call)).toHaveLength(2);
  });

  it('that cancels a call is asked what waited behind it', async () => {
    const session = await init(http, WILLING);
    const first = await ask(session, 'a', 'a1', 'a2', 'a3');
    await question(first, 'question a2');
    const second = await ask(session, 'b', 'b1', 'b2');
    await session.notify('notifications/cancelled', { requestId: 'a' });
    for (const words of ['question b1', 'question b2']) await question(second, words);
    expect(put(first)).toHaveLength(2);
  });

  it('that ends its session is gone for what was never put, too', async () => {
    const session = await init(http, WILLING);
    const ledger = site.ledger();
    const rounds = [['a1', 'a2', 'a3'].map((key) => ({ key }))];
    const call = await session.call('a', 'quiz', { rounds, ledger: ledger.path });
    await question(call, 'question a2');
    const id = (await ledger.line('run')).split(' ')[1] ?? '';
    await session.delete();
    await ledger.line('done');
    // Its handler says so before its job has ended.
    const { structuredContent } = await (await init(http)).result('r', 'get_job', { job_id: id, wait_seconds: 10 });
    const { result } = Object(structuredContent);
    const kinds = JSON.parse(String(result?.text)).map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['client_gone', 'client_gone', 'client_gone']);
  });

  it('of 2026-07-28 gets all that is open in one round, since its rounds are few', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const args = { rounds: [keys.map((key) => ({ key }))] };
    const call = await m26(http, 'm', ['tools/call', { name: 'quiz', arguments: args }], { capabilities: WILLING });
    const { result } = await call.message(({ method }) => method === undefined);
    expect(Object.keys(Object(result?.inputRequests)).sort()).toEqual(keys);
  });
});

describe('a question that waits for its place', () => {
  let short: HttpServer;
  let separate: Site;
  beforeAll(async () => {
    separate = await openSite();
    short = await separate.http({ env: { ...QUIZ, LONGHAUL_INPUT_TIMEOUT_SECONDS: String(WAIT_SECONDS) } });
    await (await init(short)).result('up', 'echo', { text: 'up' });
  });
  afterAll(() => separate.close());

  it('has its whole time once it is put, so none reads as unanswered that never was', async () => {
    const session = await init(short, WILLING);
    // From before the first is put: when a question came here says only that its time began before.
    const startedMs = Date.now();
    const call = await ask(session, 'a', 'a1', 'a2', 'a3', 'a4');
    await question(call, 'question a1');
    const a4 = await question(call, 'question a4');
    expect(Date.now() - startedMs).toBeGreaterThan(WAIT_SECONDS * 1_000 - 100);
    await answerTo(session, a4, says('in time'));
    const got = repliesIn((await call.response('a')).result);
    expect(got).toMatchObject([
      { kind: 'timed_out' },
      { kind: 'timed_out' },
      { kind: 'timed_out' },
      { value: { text: 'in time' } },
    ]);
    expect(Date.now() - startedMs).toBeGreaterThan(2 * WAIT_SECONDS * 1_000 - 100);
    expect(put(call)).toHaveLength(4);
    expect(withdrawnOn(call)).toHaveLength(3);
  });
});

describe('under a strict policy', () => {
  let separate: Site;
  beforeAll(async () => {
    separate = await openSite();
    strict = await separate.http({
      env: {
        ...QUIZ,
        LONGHAUL_ALLOWED_MODELS: 'sonnet, gpt-5',
        LONGHAUL_REQUEST_OUTPUT_TOKENS: '60',
        LONGHAUL_REQUEST_INPUT_TOKENS: '50',
        LONGHAUL_JOB_OUTPUT_TOKENS: '100',
        LONGHAUL_SESSION_OUTPUT_TOKENS: '130',
      },
    });
  });
  afterAll(() => separate.close());
  const saysAs = (model: string | undefined, text: string) => {
    const { model: _, ...rest } = says(text);
    return model === undefined ? rest : { ...rest, model };
  };

  it('a request asks for no more tokens than it may, and names the models that may answer', async () => {
    const session = await init(strict, WILLING);
    const call = await ask(session, 'a', 'a1');
    const { params } = await question(call, 'question a1');
    expect(params).toMatchObject({
      maxTokens: 60,
      modelPreferences: { hints: [{ name: 'sonnet' }, { name: 'gpt-5' }] },
    });
  });

  it.each([
    ['llama-3', 'from the model "llama-3"'],
    [undefined, 'without a model'],
  ])('an answer of the model %s does not count, saying so', async (model, said) => {
    const session = await init(strict, WILLING);
    const call = await ask(session, 'a', 'a1');
    await answerTo(session, await question(call, 'question a1'), saysAs(model, 'hi'));
    const [reply] = repliesIn((await call.response('a')).result);
    expect(reply).toMatchObject({ kind: 'failed', message: expect.stringContaining(said) });
    expect(reply).toMatchObject({ message: expect.stringContaining('sonnet, gpt-5') });
  });

  it('an answer of an allowed model is heard', async () => {
    const session = await init(strict, WILLING);
    const call = await ask(session, 'a', 'a1');
    await answerTo(session, await question(call, 'question a1'), saysAs('claude-Sonnet-4-x', 'hi'));
    expect(repliesIn((await call.response('a')).result)).toMatchObject([{ value: { text: 'hi' } }]);
  });

  it('a request that is too large is not put', async () => {
    const session = await init(strict, WILLING);
    const call = await ask(session, 'a', 'x'.repeat(300));
    expect(repliesIn((await call.response('a')).result)).toMatchObject([{ kind: 'exhausted', scope: 'input' }]);
    expect(put(call)).toEqual([]);
  });

  it('a session that is spent asks no more, whichever job wants to, and a new session does', async () => {
    const session = await init(strict, WILLING);
    const first = await ask(session, 'a', 'a1');
    await answerTo(session, await question(first, 'question a1'), saysAs('sonnet', 'x'.repeat(4 * 80)));
    await first.response('a');
    const second = await ask(session, 'b', 'b1');
    expect(repliesIn((await second.response('b')).result)).toMatchObject([{ kind: 'exhausted', scope: 'session' }]);
    expect(put(second)).toEqual([]);
    const other = await init(strict, WILLING);
    await question(await ask(other, 'c', 'c1'), 'question c1');
  });

  it('what a cancelled call had reserved of its session is free again', async () => {
    const session = await init(strict, WILLING);
    const first = await ask(session, 'a', 'a1');
    await question(first, 'question a1');
    const second = await ask(session, 'b', 'b1');
    await question(second, 'question b1');
    const third = await ask(session, 'c', 'c1');
    await session.notify('notifications/cancelled', { requestId: 'a' });
    await question(third, 'question c1');
  });
});
