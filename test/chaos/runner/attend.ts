/** Keeps a call to a job going until its outcome, whatever connections, sessions and front ends are lost on the way. */
import { pause } from '../../../src/core/lifecycle.js';
import { callBody, m26, type Reply, type WireMessage } from '../../support/http-wire.js';
import type { Lane, LaneSession } from './lane.js';
import { type Heard, listen } from './listen.js';
import { answerOf, CLIENTS, type ClientKind, SUBMISSION } from './model.js';
import { handsOver, noteOutcome, openStream, outcomeOfCall, type SeenStream, type Witness } from './witness.js';

/** A job's call as it is attended. */
export interface Attendance {
  readonly lane: Lane;
  readonly witness: Witness;
  readonly tool: string;
  readonly args: object;
  readonly client: ClientKind;
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
/** A stream that is resumed so often in a row without a word is not worth resuming: its end was not said. */
const MOST_BARREN = 20;
/** An answer that no front end takes is given up after this. */
const MOST_SENDS = 50;

/** Attends the call until its outcome is in the witness, or its client gave it up. */
export async function attend(attendance: Attendance): Promise<void> {
  const { witness } = attendance;
  let once = attending(witness);
  while (!attendance.giveUp.aborted && !witness.gaveUp && !witness.outcome) {
    const heard = await once(requestOf(attendance)).catch((error: unknown) => {
      witness.oddities.push(String(error).slice(0, 200));
      return 'cut' as const;
    });
    attendance.line = undefined;
    const outcome = heard === 'cut' ? undefined : outcomeOfCall(witness, heard);
    const stream = witness.streams.at(-1);
    if (outcome && stream) stream.whole = true;
    if (outcome) noteOutcome(witness, outcome, 'the call');
    else if (heard !== 'cut' && (await takeOver(witness, heard))) once = attending(witness);
    else await pause(AGAIN_MS, attendance.giveUp);
  }
}

function attending({ job }: Witness): (request: Request) => Promise<Heard> {
  return job.era === '2025' ? attend25 : createRounds();
}

/** A call of the job's own tool, or the submission of one that was handed over. */
interface Request extends Pick<Attendance, 'lane' | 'witness' | 'tool' | 'args' | 'client' | 'giveUp'> {
  readonly start: SeenStream['start'];
  onLine(line: Line | undefined): void;
}

function requestOf(attendance: Attendance): Request {
  const { lane, witness, tool, args, client, giveUp } = attendance;
  const onLine = (line: Line | undefined) => {
    attendance.line = line;
  };
  if (!witness.handedOver) return { ...{ lane, witness, tool, args, client, giveUp, onLine }, start: 0 };
  const submission = { job_id: witness.jobId, ...SUBMISSION };
  return { ...{ lane, witness, client, giveUp, onLine }, tool: 'submit_review', args: submission, start: 'unknown' };
}

/** Takes a job that is handed over, after some thought; or goes back to its call where no submission is awaited any more. */
async function takeOver(witness: Witness, heard: WireMessage): Promise<boolean> {
  const isPreliminary = handsOver(heard);
  if (isPreliminary) {
    noteQuestion(witness, { method: 'submission' });
    await pause(witness.job.thinkMs);
  }
  const { code } = Object(heard.result?._meta?.['longhaul/error']);
  if (!isPreliminary && code !== 'submission_not_awaited') return false;
  witness.handedOver = isPreliminary;
  return true;
}

/** One call in a session of 2025, resumed as long as the session lives. */
async function attend25(request: Request): Promise<Heard> {
  const { lane, witness, tool, args, client, giveUp, onLine } = request;
  const session = await lane.session(client);
  const stream = openStream(witness, request.start);
  const id = `${witness.job.key} ${witness.streams.length}`;
  const message = callBody(id, tool, args, id);
  const calledMs = Date.now();
  let reply = await lane.post(session, message);
  if (reply?.status === 200) witness.attached += 1;
  let barren = 0;
  while (reply && !witness.gaveUp && !giveUp.aborted) {
    if (reply.status !== 200) return await refused(request, session, reply);
    onLine(lineOf(request, { session, reply, id, stream }));
    const onQuestion = (question: WireMessage) => void answer25(request, session, question);
    const heardBefore = stream.eventIds.length;
    const heard = await listen({ reply, witness, stream, id, giveUp, onQuestion });
    onLine(undefined);
    barren = stream.eventIds.length > heardBefore ? 0 : barren + 1;
    if (barren === MOST_BARREN) witness.wrong.push(`its stream ended ${barren} times in a row with nothing new`);
    const last = stream.eventIds.at(-1);
    if (heard !== 'cut' || witness.gaveUp) return heard;
    await pause(AGAIN_MS, giveUp);
    const again = last === undefined ? undefined : await lane.resume(session, last);
    if (again === 'no session') loseSession(request, session);
    if (again === 'no stream') noteLostStream(witness, stream, calledMs);
    if (typeof again !== 'object') return 'cut';
    stream.resumed += 1;
    reply = again;
  }
  return 'cut';
}

async function refused({ lane, witness }: Request, session: LaneSession, reply: Reply): Promise<'cut'> {
  const text = await reply.text().catch(() => '');
  if (reply.status === 404) loseSession({ lane, witness }, session);
  else witness.oddities.push(`status ${reply.status}: ${text.slice(0, 200)}`);
  return 'cut';
}

/** Sessions outlive their front ends. */
function loseSession({ lane, witness }: Pick<Request, 'lane' | 'witness'>, session: LaneSession): void {
  witness.wrong.push(`its session ${session.id} was lost`);
  lane.drop(session);
}

/** A stream is only forgotten if nothing of it could be stored; whether that is so is judged by when Redis was away. */
function noteLostStream(witness: Witness, stream: SeenStream, calledMs: number): void {
  // The stream of a cancelled call ends at once, which may be seen before the cancel is known to be taken note of.
  if (stream.cancelSent) return;
  witness.lostStreams.push({ fromMs: calledMs, toMs: witness.lostAtMs ?? Date.now(), events: stream.eventIds.length });
  witness.oddities.push(
    `lost stream ${JSON.stringify([witness.jobId, stream, calledMs, witness.lostAtMs, Date.now()])}`,
  );
}

interface OpenCall {
  readonly session: LaneSession;
  readonly reply: Reply;
  readonly id: string;
  readonly stream: SeenStream;
}

function lineOf({ lane, witness }: Request, { session, reply, id, stream }: OpenCall): Line {
  return {
    drop: reply.destroy,
    async giveUp() {
      witness.askedToCancel = true;
      stream.cancelSent = true;
      const params = { requestId: id, reason: 'chaos' };
      const noted = await lane.post(session, { method: 'notifications/cancelled', params });
      if (noted?.status !== 202) return false;
      witness.gaveUp = true;
      return true;
    },
  };
}

/** Answers after having thought, and again until the answer is accepted: one that is sent twice changes nothing. */
async function answer25({ lane, witness }: Request, session: LaneSession, question: WireMessage): Promise<void> {
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
function createRounds(): (request: Request) => Promise<Heard> {
  let carried: object = {};
  let told = 0;
  return async (request) => {
    const { witness, start } = request;
    for (let round = 0; !witness.gaveUp; round++) {
      const stream = openStream(witness, start === 'unknown' ? start : start + told);
      const heard = await attendRound(request, stream, carried);
      if (round === 0) witness.attached += 1;
      if (heard === 'cut' || heard.result?.resultType !== 'input_required') return heard;
      told += stream.logs.length;
      carried = await answersTo(witness, heard);
    }
    return 'cut';
  };
}

async function attendRound(request: Request, stream: SeenStream, carried: object): Promise<Heard> {
  const { lane, witness, tool, args, client, onLine } = request;
  const id = `${witness.job.key} ${witness.streams.length}`;
  const meta = { progressToken: id, 'io.modelcontextprotocol/logLevel': 'debug' };
  const params = { name: tool, arguments: args, ...carried };
  const target = { port: lane.nextPort() };
  const reply = await m26(target, id, ['tools/call', params], { capabilities: CLIENTS[client], meta });
  onLine({
    drop: () => undefined,
    async giveUp() {
      witness.askedToCancel = true;
      witness.gaveUp = true;
      reply.destroy();
      return true;
    },
  });
  if (!reply.headers['content-type']?.startsWith('text/event-stream')) return reply.json(15_000);
  return listen({ reply, witness, stream, id, giveUp: request.giveUp });
}

async function answersTo(witness: Witness, { result }: WireMessage): Promise<object> {
  const asked = Object.entries(Object(result?.inputRequests)) as [string, Pick<WireMessage, 'method' | 'params'>][];
  for (const [, question] of asked) noteQuestion(witness, question);
  await pause(witness.job.thinkMs);
  const inputResponses = Object.fromEntries(asked.map(([key, question]) => [key, answerOf(question)]));
  return { requestState: result?.requestState, inputResponses };
}
