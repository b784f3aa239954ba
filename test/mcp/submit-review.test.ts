/** `submit_review` on raw messages: finishes a job that was handed over, from anywhere, once, and attaches to it as a call does. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { expectError, expectPreliminary, HAND_OFF, handOver, jobOf, submit } from '../support/hand-off-wire.js';
import {
  callBody,
  init,
  m26,
  post,
  type Reply,
  textOf,
  type WireMessage,
  type WireSession,
} from '../support/http-wire.js';
import { answerTo, fills, question, WILLING } from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';
import { modernMessage } from '../support/wire-messages.js';

let site: Site;
let http: HttpServer;
let session: WireSession;
beforeAll(async () => {
  site = await openSite();
  http = await site.http({ env: HAND_OFF });
  session = await init(http);
});
afterAll(() => site.close());

const FINDINGS = [{ line: 1, quote: 'x', title: 'ü "quoted"' }, 'no finding at all', null];
let ids = 0;

function modern(args: object, more: object = {}, capabilities: object = {}): Promise<Reply> {
  ids += 1;
  return m26(http, `s${ids}`, ['tools/call', { name: 'submit_review', arguments: args, ...more }], { capabilities });
}
const responseOf = (reply: Reply): Promise<WireMessage> => reply.message(({ method }) => method === undefined);

describe('a submission', () => {
  it('finishes the job and returns its result as the job’s own tool renders it', async () => {
    const id = await handOver(session);
    const args = { job_id: id, findings: FINDINGS, summary: 'all in all', scores: { security: 7 } };
    const result = await session.result('s', 'submit_review', args);
    const { job_id: _, ...value } = args;
    const expected = { job_id: id, status: 'finished', replies: [value] };
    expect(result.structuredContent).toEqual(expected);
    expect(textOf(result)).toBe(`finished ${JSON.stringify([value])}`);
    expect(result._meta).toEqual({ 'longhaul/jobId': id });
    expect(await jobOf(session, id)).toMatchObject({ state: 'completed', result: expected });
  });

  it('works in a request of 2026, without findings too', async () => {
    const id = await handOver(session);
    const { result } = await responseOf(await modern({ job_id: id, findings: [] }));
    expect(result?.resultType).toBe('complete');
    expect(result?.structuredContent).toEqual({ job_id: id, status: 'finished', replies: [{ findings: [] }] });
  });

  it('works on stdio in both eras', async () => {
    const wire = await openStdio({ env: HAND_OFF });
    const call = (id: string, name: string, args: object) =>
      wire.request(modernMessage(id, 'tools/call', { name, arguments: args }));
    const id = expectPreliminary((await call('a', 'hand_over', {})).result);
    const end = await call('b', 'submit_review', { job_id: id, findings: FINDINGS });
    expect(end.result?.structuredContent).toMatchObject({ status: 'finished', replies: [{ findings: FINDINGS }] });
    const older = await openStdio({ env: HAND_OFF });
    await older.initialize();
    const other = expectPreliminary((await older.call('hand_over')).result);
    const { result } = await older.call('submit_review', { job_id: other, findings: FINDINGS });
    expect(result?.structuredContent).toMatchObject({ job_id: other, status: 'finished' });
  });

  it('comes from any session and any front end of the owner, also after the session of the call ended', async () => {
    const first = await init(http);
    const id = await handOver(first);
    expect((await first.delete()).status).toBe(200);
    const elsewhere = await init(await site.http({ env: HAND_OFF, workers: 0 }));
    expect(await jobOf(elsewhere, id)).toMatchObject({ state: 'parked', waits_for: 'submit_review' });
    expect((await submit(elsewhere, id, FINDINGS)).structuredContent).toMatchObject({
      job_id: id,
      replies: [{ findings: FINDINGS }],
    });
  });

  it.each<[string, unknown]>([
    ['as text', JSON.stringify(FINDINGS)],
    ['in the shape that a model answers with', { findings: FINDINGS }],
    ['in that shape, as text', JSON.stringify({ findings: FINDINGS })],
  ])('is taken with its findings %s', async (_, findings) => {
    const id = await handOver(session);
    const result = await session.result('w', 'submit_review', { job_id: id, findings });
    expect(result.structuredContent).toMatchObject({ replies: [{ findings: FINDINGS }] });
  });

  it('on a front end that does not know the job’s tool returns its result as JSON', async () => {
    const elsewhere = await init(await site.http({ workers: 0 }));
    const result = await submit(elsewhere, await handOver(session), FINDINGS);
    expect(result.structuredContent).toMatchObject({ status: 'finished', replies: [{ findings: FINDINGS }] });
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  it('made again returns the same result, says so, and changes nothing', async () => {
    const id = await handOver(session);
    const first = await submit(session, id, ['first']);
    const again = await submit(await init(http), id, ['second']);
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(again.content?.[0]).toEqual(first.content?.[0]);
    expect(again.content?.[1]?.text).toContain('already had its submission');
  });

  it('made many times at once has one outcome for all', async () => {
    const id = await handOver(session);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => init(http)));
    const results = await Promise.all(sessions.map((one, index) => submit(one, id, [index])));
    const outcomes = new Set(results.map(({ structuredContent }) => JSON.stringify(structuredContent)));
    expect(outcomes.size).toBe(1);
    expect(results.filter(({ content }) => content?.length === 1)).toHaveLength(1);
  });

  it('may lead to a next hand-off, which it returns', async () => {
    const id = await handOver(session, { rounds: 2 });
    expect(expectPreliminary(await submit(session, id, ['one']), 2)).toBe(id);
    expect((await submit(session, id, ['two'])).structuredContent).toMatchObject({
      status: 'finished',
      replies: [{ findings: ['one'] }, { findings: ['two'] }],
    });
  });

  it('to a job that fails returns its error, and so does the next', async () => {
    const id = await handOver(session, { fault: 'the findings are no good' });
    expect(expectError(await submit(session, id), 'handler_failed')).toContain('the findings are no good');
    expect(expectError(await submit(session, id), 'handler_failed')).toContain('the findings are no good');
  });

  it('hears progress and logs from then on, and none of before', async () => {
    const id = await handOver(session);
    const call = await session.call('p', 'submit_review', { job_id: id, findings: [] }, 'token');
    await call.response('p');
    const told = call.messages().filter(({ method }) => method !== undefined);
    expect(told.flatMap(({ params }) => params?.message ?? params?.data ?? [])).toEqual(
      expect.arrayContaining(['submitted']),
    );
    expect(JSON.stringify(told)).not.toContain('prepared');
  });
});

describe('a submission that is not waited for', () => {
  it.each([
    ['unknown', 'job_00000000000000000000000000'],
    ['no job’s', 'nonsense'],
  ])('of an id that is %s is an error result, as with get_job', async (_, id) => {
    const words = expectError(await submit(session, id), 'job_not_found');
    expect(words).toBe(expectError(await session.result('g', 'get_job', { job_id: id }), 'job_not_found'));
  });

  it('since the job ended without any is refused with its state', async () => {
    const echo = await session.result('e', 'echo', { text: 'x' });
    const words = expectError(await submit(session, String(echo._meta?.['longhaul/jobId'])), 'submission_not_awaited');
    expect(words).toMatch(/\(echo\) awaits no submission: it is completed\. get_job has/);
  });

  it('since the job was cancelled is refused with its state', async () => {
    const id = await handOver(session);
    const cancel = await session.result('c', 'cancel_job', { job_id: id, reason: 'no longer' });
    expect(cancel.structuredContent).toMatchObject({ state: 'cancelled', already_ended: false });
    expect(expectError(await submit(session, id), 'submission_not_awaited')).toContain('it is cancelled');
    expect(await jobOf(session, id)).toMatchObject({ state: 'cancelled', cancel_reason: 'no longer' });
  });

  it('since the job runs, or waits for its client, is refused with what it does', async () => {
    const [gate, ledger] = [site.gate(), site.ledger()];
    await session.call('r', 'gated', { gate: gate.path, ledger: ledger.path });
    const running = (await ledger.line('start')).split(' ')[1] ?? '';
    expect(expectError(await submit(session, running), 'submission_not_awaited')).toContain('it is active');
    await gate.open();
    const willing = await init(http, WILLING);
    const asks = site.ledger();
    const call = await willing.call('a', 'asking', { questions: [{ key: 'a', kind: 'sampling' }], ledger: asks.path });
    await question(call, 'question a');
    const asking = (await asks.line('run')).split(' ')[1] ?? '';
    await until(
      () => jobOf(session, asking),
      (job) => job.waits_for === 'client',
      { what: 'the job to be parked' },
    );
    expect(expectError(await submit(session, asking), 'submission_not_awaited')).toContain('waits for its client');
    await session.result('x', 'cancel_job', { job_id: asking });
  });

  it('since its deadline passed is refused, and the job ended as its handler decided', async () => {
    // Long enough for the preliminary result to come first, on a busy machine too.
    const id = await handOver(session, { timeout_ms: 3_000 });
    await until(
      () => jobOf(session, id),
      ({ state }) => state === 'completed',
      { what: 'the deadline' },
    );
    expect(await jobOf(session, id)).toMatchObject({ result: { status: 'unanswered', packet: 'packet 1 ' } });
    const words = expectError(await submit(session, id), 'submission_not_awaited');
    expect(words).toContain('Nobody submitted anything by its deadline');
  });

  it.each([
    ['no findings', {}, 'findings'],
    ['findings that are no list', { findings: 'none' }, 'findings'],
    ['more findings than may be', { findings: Array(2_001).fill(0) }, 'findings'],
    ['findings of more than a megabyte', { findings: ['x'.repeat(1_100_000)] }, 'longer than 1048576 characters'],
    ['scores of more than a megabyte', { findings: [], scores: 'x'.repeat(1_100_000) }, 'longer than'],
    ['an unknown field', { findings: [], sumary: '' }, 'summary'],
  ])('since it has %s is refused, and the job waits on', async (_, args, named) => {
    const id = await handOver(session);
    const words = expectError(await session.result('b', 'submit_review', { job_id: id, ...args }), 'invalid_arguments');
    expect(words).toContain(named);
    expect(words.length).toBeLessThan(1_000);
    expect(await jobOf(session, id)).toMatchObject({ state: 'parked', waits_for: 'submit_review' });
  });
});

it.each([33, 20_000, 500_000])(
  'findings nested %i deep are refused without harm, and the job waits on',
  async (depth) => {
    const id = await handOver(session);
    // Written by hand, since what calls itself at every level exhausts its stack.
    const body = JSON.stringify(callBody('deep', 'submit_review', { job_id: id, findings: ['HERE'] }));
    const reply = await post(http, body.replace('"HERE"', '['.repeat(depth) + ']'.repeat(depth)), session.headers);
    const { result } = await reply.response('deep');
    expect(expectError(result, 'invalid_arguments')).toContain('nests deeper than 32');
    expect(await jobOf(session, id)).toMatchObject({ waits_for: 'submit_review' });
  },
);

describe('a call of submit_review', () => {
  const held = async () => {
    const [gate, ledger] = [site.gate(), site.ledger()];
    const id = await handOver(session, { gate: gate.path, ledger: ledger.path });
    const finished = async () => {
      await gate.open();
      await until(
        () => jobOf(session, id),
        ({ state }) => state === 'completed',
        { what: 'the job to end' },
      );
      expect(await jobOf(session, id)).toMatchObject({ result: { replies: [{ findings: FINDINGS }] } });
    };
    return { id, atGate: () => ledger.line('at the gate'), finished };
  };

  it('that is cancelled leaves the job to end by itself', async () => {
    const { id, atGate, finished } = await held();
    await session.call('gone', 'submit_review', { job_id: id, findings: FINDINGS });
    await atGate();
    await session.notify('notifications/cancelled', { requestId: 'gone' });
    await finished();
  });

  it('of 2026 whose stream closes leaves the job to end by itself', async () => {
    const { id, atGate, finished } = await held();
    const call = await modern({ job_id: id, findings: FINDINGS });
    await atGate();
    call.destroy();
    await finished();
  });

  it('whose session is deleted leaves the job to end by itself', async () => {
    const { id, atGate, finished } = await held();
    const other = await init(http);
    await other.call('d', 'submit_review', { job_id: id, findings: FINDINGS });
    await atGate();
    await other.delete();
    await finished();
  });

  it('is asked what the job asks afterwards, in a session', async () => {
    const id = await handOver(await init(http, WILLING), { after: 'elicitation' });
    const other = await init(http, WILLING);
    const call = await other.call('q', 'submit_review', { job_id: id, findings: [] });
    await answerTo(other, await question(call, 'form after'), fills({ name: 'x' }));
    expect((await call.response('q')).result?.structuredContent).toMatchObject({
      replies: [{ findings: [] }, { kind: 'answered', value: { name: 'x' } }],
    });
  });

  it('is asked what the job asks afterwards, in rounds of 2026', async () => {
    const id = await handOver(await init(http, WILLING), { after: 'elicitation' });
    const args = { job_id: id, findings: [] };
    const first = await responseOf(await modern(args, {}, WILLING));
    expect(first.result).toMatchObject({ resultType: 'input_required' });
    const { requestState, inputRequests } = { ...first.result };
    expect(Object.keys(Object(inputRequests))).toEqual(['after']);
    const inputResponses = { after: fills({ name: 'x' }) };
    const end = await responseOf(await modern(args, { requestState, inputResponses }, WILLING));
    expect(end.result?.structuredContent).toMatchObject({ replies: [{ findings: [] }, { kind: 'answered' }] });
    expect(end.result?.content).toHaveLength(1);
  });
});

describe('a job that waits for a submission', () => {
  it('is told as such by get_job at once, with the preliminary result and the deadline', async () => {
    const id = await handOver(session, { bytes: 40_000 });
    // Which gives up before the 30 s are over.
    const result = await session.result('g', 'get_job', { job_id: id, wait_seconds: 30 });
    const job = { ...result.structuredContent };
    expect(job).toMatchObject({ state: 'parked', waits_for: 'submit_review', preliminary: { status: 'handed_over' } });
    const leftMs = Date.parse(String(job.submit_by)) - Date.now();
    expect(leftMs).toBeGreaterThan(86_000_000);
    expect(leftMs).toBeLessThanOrEqual(86_400_000);
    expect(textOf(result)).toContain(`job://${id}`);
    const read = await (await session.request('r', 'resources/read', { uri: `job://${id}` })).response('r');
    expect(JSON.parse(String(Reflect.get(Object(Object(read.result?.contents)[0]), 'text')))).toEqual(job);
  });

  it('is told as such by get_job that began to wait before', async () => {
    const id = await handOver(session, { rounds: 2 });
    const [gate, ledger] = [site.gate(), site.ledger()];
    const slow = await handOver(session, { gate: gate.path, ledger: ledger.path });
    await submit(session, id);
    expect(await jobOf(session, id)).toMatchObject({ preliminary: { packet: 'packet 2 ' } });
    const call = await session.call('s', 'submit_review', { job_id: slow, findings: [] });
    await ledger.line('at the gate');
    const waiting = await session.call('w', 'get_job', { job_id: slow, wait_seconds: 30 });
    await gate.open();
    expect((await waiting.response('w')).result?.structuredContent).toMatchObject({ state: 'completed' });
    await call.response('s');
  });

  it('is listed as such', async () => {
    const id = await handOver(session);
    const page = await session.result('l', 'list_jobs', { states: ['parked'], tool: 'hand_over', limit: 100 });
    const listed = page.structuredContent?.jobs as { job_id: string }[];
    expect(listed.find(({ job_id }) => job_id === id)).toMatchObject({ waits_for: 'submit_review' });
    expect(textOf(page)).toContain(`${id} hand_over parked, waits for submit_review`);
    expect(JSON.stringify(page)).not.toContain('packet 1');
  });
});

describe('the schemas', () => {
  it('99, 100 · of what submit_review and get_job return are those they are published with', async () => {
    const { result } = await (await session.request('t', 'tools/list')).response('t');
    const tools = result?.tools as { name: string; outputSchema: object; inputSchema: object }[];
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    ajv.addFormat('date-time', true);
    const fits = (name: string, schema: 'outputSchema' | 'inputSchema', value: unknown) =>
      ajv.validate(tools.find((tool) => tool.name === name)?.[schema] ?? {}, value);
    const id = await handOver(session);
    expect(fits('get_job', 'outputSchema', await jobOf(session, id))).toBe(true);
    const finding = {
      ...{ file: 'a.ts', line: 1, end_line: 2, quote: 'x', severity: 'high', category: 'security' },
      ...{ title: 't', message: 'm', confidence: 0.5 },
    };
    const scores = { security: 1, correctness: 10, performance: null, readability: 5 };
    const args = { job_id: id, findings: [finding], summary: 's', scores };
    expect(fits('submit_review', 'inputSchema', args)).toBe(true);
    expect(fits('submit_review', 'inputSchema', { job_id: id, findings: [{ ...finding, severity: 'bad' }] })).toBe(
      false,
    );
    const end = await session.result('f', 'submit_review', args);
    expect(fits('submit_review', 'outputSchema', end.structuredContent)).toBe(true);
    expect(fits('hand_over', 'outputSchema', end.structuredContent)).toBe(true);
  });
});
