/** Work that a handler leaves unawaited when its run ends to wait for an answer: it must not take the worker down. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { init } from '../support/http-wire.js';
import { workersOf } from '../support/processes.js';
import { answerTo, QUIZ, question, repliesIn, says, WILLING } from '../support/questions-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let http: HttpServer;
beforeAll(async () => {
  site = await openSite();
  http = await site.http({ env: QUIZ });
});
afterAll(() => site.close());

it.each([
  ['is aborted with its run', false, 'worked'],
  ['fails on its own', true, 'a loose end'],
])('work on the side of a question that %s leaves worker and job alone', async (_, fails, done) => {
  const session = await init(http, WILLING);
  await session.result('up', 'echo', { text: 'up' });
  const workers = await workersOf(site.dataDir);
  const call = await session.call(1, 'sideline', { fails });
  await answerTo(session, await question(call, 'question a'), says('hi'));
  const { result } = await call.response(1);
  expect(repliesIn(result)).toMatchObject([{ value: { text: 'hi' } }, { kind: done }]);
  const job = await session.result('g', 'get_job', { job_id: String(result?._meta?.['longhaul/jobId']) });
  expect(job.structuredContent).toMatchObject({ attempt: 1, worker_crashes: 0 });
  expect(await workersOf(site.dataDir)).toEqual(workers);
});
