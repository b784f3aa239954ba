/** Several clients with jobs at once, under the same ids and tokens: each is asked its own questions and hears its own job only. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { init, m26, type Reply, type WireMessage, type WireSession } from '../support/http-wire.js';
import {
  answerTo,
  isQuestion,
  QUIZ,
  question,
  questionsOn,
  repliesIn,
  says,
  WILLING,
  wordsOf,
} from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const CLIENTS = 6;
const ROUNDS = 3;

let site: Site;
let fronts: HttpServer[];
beforeAll(async () => {
  site = await openSite();
  fronts = [await site.http({ env: QUIZ }), await site.http({ env: QUIZ, workers: 0 })];
});
afterAll(() => site.close());

interface Client {
  readonly name: string;
  readonly session: WireSession;
  readonly get: Reply;
}

/** Clients by turns at both front ends, each with its GET stream open and debug logs wanted. */
function openClients(): Promise<Client[]> {
  const names = Array.from({ length: CLIENTS }, (_, index) => `client${index}`);
  return Promise.all(
    names.map(async (name, index) => {
      const session = await init(fronts[index % 2] ?? { port: 0 }, WILLING);
      await session.request('level', 'logging/setLevel', { level: 'debug' });
      return { name, session, get: await session.stream() };
    }),
  );
}

/** Two questions together in each of the rounds, all named after the client. */
const roundsOf = (name: string) =>
  Array.from({ length: ROUNDS }, (_, round) => [{ key: `${name}-${round}-x` }, { key: `${name}-${round}-y` }]);

async function play({ name, session }: Client): Promise<{ call: Reply; result: WireMessage }> {
  // The same id and the same token for everybody.
  const call = await session.call(1, 'quiz', { rounds: roundsOf(name) }, 1);
  for (const [x, y] of roundsOf(name)) {
    const [first, second] = await Promise.all([x, y].map((one) => question(call, `question ${one?.key}`)));
    await answerTo(session, second ?? {}, says(`${name} to ${y?.key}`));
    await answerTo(session, first ?? {}, says(`${name} to ${x?.key}`));
  }
  return { call, result: await call.response(1) };
}

it('neither questions, nor progress, nor logs, nor results reach another client', async () => {
  const clients = await openClients();
  const played = await Promise.all(clients.map(play));
  for (const [index, { name, get }] of clients.entries()) {
    const { call, result } = played[index] ?? { call: get, result: {} };
    const keys = roundsOf(name).flatMap((round) => round.map(({ key }) => key));
    expect(questionsOn(call).map(wordsOf).sort()).toEqual(keys.map((key) => `question ${key}`).sort());
    const texts = repliesIn(result.result).map(({ value }) => Reflect.get(Object(value), 'text'));
    expect(texts).toEqual(keys.map((key) => `${name} to ${key}`));
    const told = (method: string) => call.messages().filter((message) => message.method === method);
    const progress = told('notifications/progress').map(({ params }) => Number(params?.progress));
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(ROUNDS);
    expect(told('notifications/message').map(({ params }) => params?.data)).toEqual(['round 0', 'round 1', 'round 2']);
    expect(get.messages()).toEqual([]);
    get.destroy();
  }
});

it('an answer under the id of another client’s question answers nothing', async () => {
  const [one, two] = await Promise.all([
    init(fronts[0] ?? { port: 0 }, WILLING),
    init(fronts[0] ?? { port: 0 }, WILLING),
  ]);
  const mine = await one.call(1, 'quiz', { rounds: [[{ key: 'mine' }]] });
  const theirs = await two.call(1, 'quiz', { rounds: [[{ key: 'theirs' }]] });
  const [first, second] = [await question(mine, 'question mine'), await question(theirs, 'question theirs')];
  expect(first.id).not.toBe(second.id);
  await answerTo(two, first, says('meant for one'));
  await answerTo(two, second, says('from two'));
  expect(repliesIn((await theirs.response(1)).result)).toMatchObject([{ value: { text: 'from two' } }]);
  expect(mine.messages().filter((message) => !isQuestion(message))).toEqual([]);
  await answerTo(one, first, says('from one'));
  expect(repliesIn((await mine.response(1)).result)).toMatchObject([{ value: { text: 'from one' } }]);
});

it('2026 requests under the same id and token get their own questions, progress and results', async () => {
  const names = Array.from({ length: CLIENTS }, (_, index) => `modern${index}`);
  await Promise.all(
    names.map(async (name, index) => {
      const rounds = [[{ key: `${name}-x` }, { key: `${name}-y` }]];
      const send = (more: object) =>
        m26(fronts[index % 2] ?? { port: 0 }, 1, ['tools/call', { name: 'quiz', arguments: { rounds }, ...more }], {
          capabilities: WILLING,
          meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' },
        });
      const asked = (await (await send({})).response(1)).result;
      expect(Object.keys(Object(asked?.inputRequests)).sort()).toEqual([`${name}-x`, `${name}-y`]);
      const inputResponses = { [`${name}-x`]: says(`${name} x`), [`${name}-y`]: says(`${name} y`) };
      const retried = await send({ requestState: asked?.requestState, inputResponses });
      const texts = repliesIn((await retried.response(1)).result).map(({ value }) =>
        Reflect.get(Object(value), 'text'),
      );
      expect(texts).toEqual([`${name} x`, `${name} y`]);
      const logs = retried.messages().filter(({ method }) => method === 'notifications/message');
      expect(logs.map(({ params }) => params?.data)).toEqual(['round 0']);
    }),
  );
});
