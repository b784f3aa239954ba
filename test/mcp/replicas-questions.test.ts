/** Questions in a session that belongs to no front end: put once, answered anywhere, and only so many at a time. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type FrontEnds, openFrontEnds } from '../support/front-ends.js';
import { until } from '../support/gate.js';
import { type Reply, sessionAt, textOf, type WireMessage, type WireSession } from '../support/http-wire.js';
import { keysBelow } from '../support/key-checker.js';
import { answerTo, question, questionsOn, repliesIn, says, WILLING, withdrawnOn } from '../support/questions-wire.js';
import type { Site } from '../support/site.js';

let trio: FrontEnds;
let site: Site;
beforeAll(async () => {
  trio = await openFrontEnds();
  site = trio.site;
});
afterAll(() => trio.close());

const everywhere: FrontEnds['everywhere'] = (capabilities, at) => trio.everywhere(capabilities, at);
const victim = () => trio.victim();
const idAt = (reply: Reply, fits: (message: WireMessage) => boolean) =>
  reply.events.find(({ message }) => message && fits(message))?.id;

describe('a question', () => {
  const asks = (session: WireSession, kind = 'sampling') =>
    session.call(1, 'asking', { questions: [{ key: 'k', kind }], ledger: site.ledger().path });

  test('38: is answered at another front end, and not withdrawn', async () => {
    const [first, second] = await everywhere(WILLING);
    const call = await asks(first);
    await answerTo(second, await question(call, 'question k'), says('from elsewhere'));
    const [reply] = repliesIn((await call.response(1)).result);
    expect(reply).toMatchObject({ kind: 'answered', value: { text: 'from elsewhere' } });
    expect(withdrawnOn(call)).toEqual([]);
  });

  test('that is refused at another front end counts as refused', async () => {
    const [first, second] = await everywhere(WILLING);
    const call = await asks(first, 'elicitation');
    const { id } = await question(call, 'form k');
    expect((await second.answer(id, { action: 'decline' })).status).toBe(202);
    expect(repliesIn((await call.response(1)).result)).toMatchObject([{ kind: 'declined' }]);
  });

  test('of a front end that was killed is replayed, not asked again, and its answer counts wherever it comes', async () => {
    const doomed = await victim();
    const [first, second, third] = await everywhere(WILLING, doomed);
    const call = await asks(first);
    const asked = await question(call, 'question k');
    await doomed.stop('SIGKILL');
    const resumed = await second.stream(call.events[0]?.id);
    expect(await question(resumed, 'question k')).toEqual(asked);
    await answerTo(third, asked, says('late but here'));
    expect(repliesIn((await resumed.response(1)).result)).toMatchObject([{ value: { text: 'late but here' } }]);
    expect(questionsOn(resumed)).toHaveLength(1);
    expect(withdrawnOn(resumed)).toEqual([]);
  });

  test('that was answered while its front end was dead is not asked again', async () => {
    const doomed = await victim();
    const [first, second, third] = await everywhere(WILLING, doomed);
    const call = await asks(first);
    const asked = await question(call, 'question k');
    const seen = idAt(call, ({ id }) => id === asked.id);
    await doomed.stop('SIGKILL');
    await answerTo(third, asked, says('in between'));
    const resumed = await second.stream(seen);
    expect(repliesIn((await resumed.response(1)).result)).toMatchObject([{ value: { text: 'in between' } }]);
    expect(questionsOn(resumed)).toEqual([]);
  });

  test('is answered once its answer is stored: before that its client is told to say it again, and who asked may die', async () => {
    const doomed = await victim();
    const [first, second] = await everywhere(WILLING, doomed);
    const call = await asks(first);
    const asked = await question(call, 'question k');
    const seen = idAt(call, ({ id }) => id === asked.id);
    const redis = Number(await readFile(join(site.dataDir, 'redis.pid'), 'utf8'));
    process.kill(redis, 'SIGSTOP');
    try {
      const refused = await first.answer(asked.id, says('not in vain'));
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
      await doomed.stop('SIGKILL');
    } finally {
      process.kill(redis, 'SIGCONT');
    }
    const back = () => second.stream(seen);
    const resumed = await until(back, ({ status }) => status === 200, { what: 'the stream to be served again' });
    await answerTo(second, asked, says('not in vain'));
    expect(repliesIn((await resumed.response(1)).result)).toMatchObject([{ value: { text: 'not in vain' } }]);
    expect(questionsOn(resumed)).toEqual([]);
  });

  test('23: is withdrawn from its client when the call is cancelled elsewhere', async () => {
    const [first, second] = await everywhere(WILLING);
    const call = await asks(first);
    const asked = await question(call, 'question k');
    await second.notify('notifications/cancelled', { requestId: 1 });
    expect(await call.ended).toBe('end');
    expect(withdrawnOn(call)).toEqual([asked.id]);
    await answerTo(second, asked, says('too late'));
  });

  test('for the roots, asked before there is a job, is gone on with after the death of who asked', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-roots-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'one.ts'), 'export const one = 1;\n');
    const doomed = await victim();
    const [first, second, third] = await everywhere(WILLING, doomed);
    const call = await first.call(1, 'analyze_codebase', { path: folder });
    await question(call, 'roots');
    await doomed.stop('SIGKILL');
    const resumed = await second.stream(call.events.at(-1)?.id);
    await answerTo(third, await question(resumed, 'roots'), { roots: [{ uri: `file://${folder}` }] });
    const { result } = await resumed.response(1);
    expect(result?.isError ?? false).toBe(false);
    expect(textOf(result)).toContain('1 file');
  });

  test('for the roots is asked once for all front ends, and again once they changed', async () => {
    const [first, second, third] = await everywhere(WILLING);
    const root = { uri: `file://${site.root}`, name: 'work' };
    const call = await first.call(1, 'where_can_i_work', {});
    await answerTo(second, await question(call, 'roots'), { roots: [root] });
    const told = (result: WireMessage['result']) => JSON.stringify(result?.structuredContent);
    expect(told((await call.response(1)).result)).toContain('"client"');
    const known = await third.call(2, 'where_can_i_work', {});
    expect(told((await known.response(2)).result)).toContain('"client"');
    expect(questionsOn(known)).toEqual([]);
    await second.notify('notifications/roots/list_changed');
    const changed = await first.call(3, 'where_can_i_work', {});
    await answerTo(third, await question(changed, 'roots'), { roots: [] });
    expect(told((await changed.response(3)).result)).not.toContain('"client"');
  });
});

describe('the questions of a session', () => {
  const asksTwo = (session: WireSession, id: string) =>
    session.call(id, 'asking', { questions: ['1', '2'].map((n) => ({ key: `${id}${n}`, kind: 'sampling' })) });
  /** How many stand in the session's line, placed or not: with each front end there whose call has a question. */
  const line = async () => {
    const redis = new Redis(join(site.dataDir, 'redis.sock'));
    try {
      const names = await keysBelow(redis, '{longhaul}:session-line');
      return (await Promise.all(names.map((name) => redis.hkeys(name)))).flat().filter((field) => field !== 'n').length;
    } finally {
      redis.disconnect();
    }
  };
  const standing = (count: number) =>
    until(line, (there) => there >= count, { what: `${count} questions in the line` });
  const open = (calls: readonly Reply[], answered: ReadonlySet<unknown>) =>
    calls.flatMap(questionsOn).filter(({ id }) => !answered.has(id));

  test('lie with its client two at a time over all front ends, and each is put in the end', async () => {
    const sessions = await everywhere(WILLING);
    const calls = await Promise.all(sessions.map((session, n) => asksTwo(session, 'xyz'[n] ?? '')));
    const answered = new Set<unknown>();
    await standing(6);
    for (let left = 6; left > 0; left--) {
      const expected = Math.min(2, left);
      const [next] = await until(
        () => open(calls, answered),
        (there) => there.length >= expected,
        { what: `${expected} questions` },
      );
      expect(open(calls, answered)).toHaveLength(expected);
      answered.add(next?.id);
      // Wherever the answer comes.
      const via = sessions[left % 3];
      if (via && next) await answerTo(via, next, says('yes'));
    }
    for (const [n, call] of calls.entries()) {
      expect(repliesIn((await call.response('xyz'[n])).result)).toMatchObject([
        { kind: 'answered' },
        { kind: 'answered' },
      ]);
    }
    expect(calls.flatMap(withdrawnOn)).toEqual([]);
    await until(line, (there) => there === 0, { what: 'the line to be empty' });
  });

  test('keep their places when their front end is killed: with who goes on, or for others if nobody does', async () => {
    const doomed = await victim();
    const [first, second, third] = await everywhere(WILLING, doomed);
    const lost = await asksTwo(first, 'x');
    for (const key of ['x1', 'x2']) await question(lost, `question ${key}`);
    const waiting = await asksTwo(third, 'y');
    await standing(4);
    await doomed.stop('SIGKILL');
    const resumed = await second.stream(lost.events[0]?.id);
    await answerTo(third, await question(resumed, 'question x1'), says('one'));
    // One place is free by that, and only one.
    const next = await waiting.message(({ method }) => method === 'sampling/createMessage');
    expect(questionsOn(waiting)).toEqual([next]);
    await answerTo(second, await question(resumed, 'question x2'), says('two'));
    expect(repliesIn((await resumed.response('x')).result)).toMatchObject([
      { value: { text: 'one' } },
      { value: { text: 'two' } },
    ]);
    expect(questionsOn(resumed)).toHaveLength(2);
    await until(
      () => questionsOn(waiting).length,
      (count) => count === 2,
      { what: 'the last question' },
    );
    // Nobody comes back for these.
    const [left, after] = [await victim(), await everywhere(WILLING)];
    const abandoned = await asksTwo(sessionAt(left, after[0]), 'z');
    for (const key of ['z1', 'z2']) await question(abandoned, `question ${key}`);
    await left.stop('SIGKILL');
    const late = await asksTwo(after[1], 'l');
    await question(late, 'question l2', 20_000);
  });
});
