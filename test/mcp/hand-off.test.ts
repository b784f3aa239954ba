/** Jobs handed over to their caller, on raw messages: the call returns a preliminary result at once, in both eras and on both transports. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPreliminary, HAND_OFF } from '../support/hand-off-wire.js';
import { init, m26, type Reply, type WireMessage } from '../support/http-wire.js';
import { answerTo, isQuestion, question, questionsOn, says, WILLING } from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';
import { modernMessage } from '../support/wire-messages.js';

let site: Site;
let http: HttpServer;
beforeAll(async () => {
  site = await openSite();
  http = await site.http({ env: HAND_OFF });
});
afterAll(() => site.close());

let ids = 0;
const newId = () => `h${++ids}`;

const modern = (tool: string, args: object, more: object = {}, capabilities: object = {}): Promise<Reply> =>
  m26(http, newId(), ['tools/call', { name: tool, arguments: args, ...more }], { capabilities });
const ended = (reply: Reply): Promise<WireMessage> => reply.message(({ method }) => method === undefined);

describe('a call whose job is handed over', () => {
  it('returns the preliminary result at once and is asked nothing, in a session', async () => {
    const session = await init(http, {});
    const call = await session.call('p', 'hand_over', {});
    expectPreliminary((await call.response('p')).result);
    expect(questionsOn(call)).toEqual([]);
    expect(await call.ended).toBe('end');
  });

  it('returns it at once as a complete result, and not as one that asks, in a request of 2026', async () => {
    const { result } = await ended(await modern('hand_over', {}, {}, WILLING));
    expect(result?.resultType).toBe('complete');
    expect(result).not.toHaveProperty('inputRequests');
    expectPreliminary(result);
  });

  it('returns it on stdio in both eras', async () => {
    const wire = await openStdio({ env: HAND_OFF });
    const params = { name: 'hand_over', arguments: {} };
    const first = await wire.request(modernMessage('m', 'tools/call', params));
    expect(first.result?.resultType).toBe('complete');
    expectPreliminary(first.result);
    const older = await openStdio({ env: HAND_OFF });
    await older.initialize(WILLING);
    expectPreliminary((await older.call('hand_over')).result);
    expect([...wire.seen, ...older.seen].filter(({ message }) => isQuestion(message))).toEqual([]);
  });

  it('gives the structured result as text where JSON was asked for, with the note apart', async () => {
    const session = await init(http, {});
    const result = await session.result('j', 'hand_over', { response_format: 'json' });
    expect(JSON.parse(result.content?.[0]?.text ?? '')).toEqual(result.structuredContent);
    expect(result.content).toHaveLength(2);
  });

  it('gives it again to a call with the same idempotency key, from another session or era', async () => {
    const args = { idempotency_key: 'again' };
    const first = expectPreliminary(await (await init(http, {})).result('a', 'hand_over', args));
    const again = expectPreliminary(await (await init(http, WILLING)).result('b', 'hand_over', args));
    const { result } = await ended(await modern('hand_over', args));
    expect([again, expectPreliminary(result)]).toEqual([first, first]);
  });

  it('is asked first what its client can answer beside it, in a session', async () => {
    const session = await init(http, WILLING);
    const call = await session.call('q', 'hand_over', { beside: 'sampling' });
    const asked = await question(call, 'question beside 1');
    expect(call.messages().some(({ id }) => id === 'q')).toBe(false);
    await answerTo(session, asked, says('hi'));
    expectPreliminary((await call.response('q')).result);
    expect(questionsOn(call)).toHaveLength(1);
  });

  it('is asked first what its client can answer beside it, in a round of 2026 that never names the hand-off', async () => {
    const args = { beside: 'sampling' };
    const { result } = await ended(await modern('hand_over', args, {}, WILLING));
    const { requestState, inputRequests } = { ...result };
    expect(Object.keys(Object(inputRequests))).toEqual(['beside 1']);
    const inputResponses = { 'beside 1': says('hi'), 'hand 1': says('no way in') };
    const end = await ended(await modern('hand_over', args, { requestState, inputResponses }, WILLING));
    expectPreliminary(end.result);
  });
});
