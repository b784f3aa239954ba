/** Makes a span of each question, from asking to reply, by whoever stores the reply: the run that asked has ended long before. */
import type { JobId } from '../core/ids.js';
import { openIn, type Question } from '../core/input.js';
import type { InputMailbox, JobStore } from '../core/ports.js';
import { questionSpanName, type Tracer } from '../core/tracing.js';

/** Where replies and outcomes are stored. */
interface Stores {
  readonly mailbox: InputMailbox;
  readonly store: JobStore;
}

/** The same stores, which tell of questions that end: by their reply, or with their job. */
export function tracingQuestions<S extends Stores>(stores: S, tracer: Tracer): S {
  if (!tracer.on) return stores;
  const { mailbox, store } = stores;
  // Read before: once the reply is stored the job may go on, end, and have no questions any more.
  const open = async (id: JobId) => openIn(await mailbox.read(id).catch(() => []));
  return {
    ...stores,
    mailbox: {
      ...mailbox,
      async answer(id, key, reply) {
        const asked = (await open(id)).find((question) => question.key === key);
        const answering = await mailbox.answer(id, key, reply);
        if (asked && answering === 'stored') tellOf(tracer, { job: id, question: asked, reply: reply.kind });
        return answering;
      },
    },
    store: {
      ...store,
      async end(id, outcome, run) {
        const left = await open(id);
        const ending = await store.end(id, outcome, run);
        if (ending.kind !== 'ended') return ending;
        for (const question of left) tellOf(tracer, { job: id, question, reply: 'none' });
        return ending;
      },
    },
  };
}

interface Told {
  readonly job: JobId;
  readonly question: Question;
  /** How it ended, `none` for a question that nobody answered. */
  readonly reply: string;
}

/** One that was asked while nothing was traced has nowhere to belong. */
function tellOf(tracer: Tracer, { job, question: { key, kind, traced }, reply }: Told): void {
  if (!traced) return;
  const span = tracer.start(`question ${kind}`, {
    kind: 'internal',
    parent: traced.by,
    startMs: traced.atMs,
    name: questionSpanName(job, key),
    attributes: { 'longhaul.job.id': job, 'longhaul.question.kind': kind, 'longhaul.question.reply': reply },
  });
  if (reply === 'timed_out' || reply === 'failed') span.fail(reply);
  span.end();
}
