/** Keeps a call to a job going until its outcome, whatever connections, sessions and front ends are lost on the way. */
import { pause } from '../../../src/core/lifecycle.js';
import { callBody, m26, type Reply, type WireMessage } from '../../support/http-wire.js';
import type { Lane, LaneSession } from './lane.js';
import { type Heard, listen } from './listen.js';
import { ABILITIES, answerOf } from './model.js';
import { noteOutcome, openStream, outcomeOfCall, type SeenStream, type Witness } from './witness.js';

/** A job's call as it is attended. */
export interface Attendance {
  readonly lane: Lane;
  readonly witness: Witness;
  readonly tool: string;
  readonly args: object;
  /** Ends the attending, where the run is over without the outcome. */
  readonly giveUp: AbortSignal;
  /** What the call's client can do to it at this moment; undefined between two connections. */
  line: Line | undefined;
}

/** An open connection of a call. */
export interface Line {
  /** Loses the connection. */
  drop(): void;
  /** Gives the call up, in the way of its era; says whether that was taken note of. */
  giveUp(): Promise<boolean>;
}

const AGAIN_MS = 200;
/** An answer that no front end takes is given up after this. */
const MOST_SENDS = 50;

/** Attends the call until its outcome is in the witness, or its client gave it up. */
export async function attend(attendance: Attendance): Promise<void> {
  const { witness } = attendance;
  const once = witness.job.era === '2025' ? attend25 : createRounds();
  while (!attendance.giveUp.aborted && !witness.gaveUp && !witness.outcome) {
    const heard = await once(attendance).catch((error: unknown) => {
      witness.oddities.push(String(error).slice(0, 200));
      return 'cut' as const;
    });
    attendance.line = undefined;
    const outcome = heard === 'cut' ? undefined : outcomeOfCall(witness, heard);
    const stream = witness.streams.at(-1);
    if (outcome && stream) stream.whole = true;
    if (outcome) noteOutcome(witness, outcome, 'the call');
    else await pause(AGAIN_MS, attendance.giveUp);
  }
}

/** One call in a session of 2025, resumed as long as the session lives. */
async function attend25(attendance: Attendance): Promise<Heard> {
  const { lane, witness, tool, args } = attendance;
  const session = await lane.session();
  const stream = openStream(witness);
  const id = `${witness.job.key} ${witness.streams.length}`;
  const message = callBody(id, tool, args, id);
  const first = await lane.post(session, message);
  if (first?.status === 200) witness.attached += 1;
  let reply = first;
  while (reply && !witness.gaveUp) {
    if (reply.status !== 200) return await refused(attendance, session, reply);
    attendance.line = lineOf(attendance, { session, reply, id });
    const onQuestion = (question: WireMessage) => void answer25(attendance, session, question);
    const heard = await listen({ reply, witness, stream, id, onQuestion });
    attendance.line = undefined;
    const last = stream.eventIds.at(-1);
    if (heard !== 'cut' || witness.gaveUp) return heard;
    reply = last === undefined ? undefined : await lane.resume(session, last);
    if (reply) witness.resumed += 1;
    else if (last !== undefined) loseSession(attendance, session);
  }
  return 'cut';
}

async function refused({ lane, witness }: Attendance, session: LaneSession, reply: Reply): Promise<'cut'> {
  const text = await reply.text().catch(() => '');
  if (reply.status === 404) loseSession({ lane, witness }, session);
  else witness.oddities.push(`status ${reply.status}: ${text.slice(0, 200)}`);
  return 'cut';
}

/** Sessions outlive their front ends. */
function loseSession({ lane, witness }: Pick<Attendance, 'lane' | 'witness'>, session: LaneSession): void {
  witness.wrong.push(`its session ${session.id} was lost`);
  lane.drop(session);
}

function lineOf({ lane, witness }: Attendance, call: { session: LaneSession; reply: Reply; id: string }): Line {
  const { session, reply, id } = call;
  return {
    drop: reply.destroy,
    async giveUp() {
      witness.askedToCancel = true;
      const params = { requestId: id, reason: 'chaos' };
      const noted = await lane.post(session, { method: 'notifications/cancelled', params });
      if (noted?.status !== 202) return false;
      witness.gaveUp = true;
      return true;
    },
  };
}

/** Answers after having thought, and again until the answer is accepted: one that is sent twice changes nothing. */
async function answer25({ lane, witness }: Attendance, session: LaneSession, question: WireMessage): Promise<void> {
  noteQuestion(witness, question);
  await pause(witness.job.thinkMs);
  for (let sent = 0; sent < MOST_SENDS && !witness.outcome; sent++) {
    const reply = await lane.post(session, { id: question.id, result: answerOf(question) });
    if (reply && reply.status < 500) return;
    await pause(AGAIN_MS);
  }
}

function noteQuestion(witness: Witness, { method, params }: Pick<WireMessage, 'method' | 'params'>): void {
  const { _meta, ...asked } = Object(params);
  witness.questions.push({ atMs: Date.now(), asked: JSON.stringify([method, asked]) });
}

/** The rounds of a call of 2026: each carries what the last one left. */
function createRounds(): (attendance: Attendance) => Promise<Heard> {
  let carried: object = {};
  let start = 0;
  return async (attendance) => {
    const { witness } = attendance;
    for (let round = 0; !witness.gaveUp; round++) {
      const stream = openStream(witness, start);
      const heard = await attendRound(attendance, stream, carried);
      if (round === 0) witness.attached += 1;
      if (heard === 'cut' || heard.result?.resultType !== 'input_required') return heard;
      start += stream.logs.length;
      carried = await answersTo(witness, heard);
    }
    return 'cut';
  };
}

async function attendRound(attendance: Attendance, stream: SeenStream, carried: object): Promise<Heard> {
  const { lane, witness, tool, args } = attendance;
  const id = `${witness.job.key} ${witness.streams.length}`;
  const meta = { progressToken: id, 'io.modelcontextprotocol/logLevel': 'debug' };
  const params = { name: tool, arguments: args, ...carried };
  const target = { port: lane.nextPort() };
  const reply = await m26(target, id, ['tools/call', params], { capabilities: ABILITIES, meta });
  attendance.line = {
    drop: () => undefined,
    async giveUp() {
      witness.askedToCancel = true;
      witness.gaveUp = true;
      reply.destroy();
      return true;
    },
  };
  if (!reply.headers['content-type']?.startsWith('text/event-stream')) return reply.json(15_000);
  return listen({ reply, witness, stream, id });
}

async function answersTo(witness: Witness, { result }: WireMessage): Promise<object> {
  const asked = Object.entries(Object(result?.inputRequests)) as [string, Pick<WireMessage, 'method' | 'params'>][];
  for (const [, question] of asked) noteQuestion(witness, question);
  await pause(witness.job.thinkMs);
  const inputResponses = Object.fromEntries(asked.map(([key, question]) => [key, answerOf(question)]));
  return { requestState: result?.requestState, inputResponses };
}
