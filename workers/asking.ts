/** What `ctx.sample`, `ctx.elicit`, `ctx.roots` and `ctx.handOff` do: ask within the client's abilities and read answers of any shape. */
import {
  type ElicitationRequest,
  elicitationParams,
  type FormFields,
  type FormValue,
  readForm,
} from '../src/core/elicitation.js';
import type { HandOffReply, HandOffRequest } from '../src/core/hand-off.js';
import type { ClientAbilities, InputReply, StoredReply } from '../src/core/input.js';
import { asJson, type JsonObject } from '../src/core/json.js';
import { readRoots, rootFolders } from '../src/core/roots.js';
import { readSamplingAnswer } from '../src/core/sampling.js';
import type { HandlerContext } from '../src/core/tool.js';
import type { RunPolicy } from './policy/policy.js';
import type { Asked } from './questions.js';

/** A form that comes back wrong is shown this many more times. */
const FORM_REPEATS = 2;

const UNREADABLE: StoredReply = { kind: 'failed', message: 'its answer could not be read' };

/** A day less than an unfinished job is remembered. */
const LONGEST_HAND_OFF_MS = 6 * 24 * 3_600_000;

/** What asking is made of. */
export interface AskingParts {
  readonly client: ClientAbilities;
  /** What may be asked, and in which form. */
  readonly policy: RunPolicy;
  /** Stores a question or finds its reply. */
  ask(asked: Asked): Promise<StoredReply>;
  /** Parses a result as the contract has it, without secrets; rejects if it does not fit. */
  handedOver(output: unknown): Promise<JsonObject>;
}

/** Builds the asking part of a context. */
export function createAsking(parts: AskingParts): Pick<HandlerContext, 'sample' | 'elicit' | 'roots' | 'handOff'> {
  const { client, policy, ask } = parts;
  return {
    async sample(key, request) {
      if (!client.sampling) return { kind: 'unsupported', missing: 'sampling' };
      const prepare = () => policy.sampling(request, client.samplingTools);
      const offered = client.samplingTools ? (request.tools ?? []).map(({ name }) => name) : [];
      return read(await ask({ key, kind: 'sampling', prepare }), (raw) => readSamplingAnswer(raw, offered));
    },
    async elicit(key, request) {
      if (!client.elicitation) return { kind: 'unsupported', missing: 'elicitation' };
      return elicit(parts, key, request);
    },
    async roots(key) {
      if (!client.roots) return { kind: 'unsupported', missing: 'roots' };
      return read(await ask({ key, kind: 'roots', prepare: async () => ({ asked: {} }) }), readFolders);
    },
    handOff: (key, request) => handOff(parts, key, request),
  };
}

/** Nobody is asked, so there are no abilities to heed, and all that is not an answer is want of one. */
async function handOff(parts: AskingParts, key: string, request: HandOffRequest): Promise<HandOffReply> {
  const { ask, handedOver } = parts;
  const { output, timeoutMs } = request;
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new RangeError(`handOff ${JSON.stringify(key)} was given timeoutMs ${timeoutMs}; expected more than 0`);
  const reply = await ask({
    key,
    kind: 'submission',
    prepare: async () => ({ asked: asJson({ output: await handedOver(output) }) }),
    ...(timeoutMs !== undefined && { timeoutMs: Math.min(timeoutMs, LONGEST_HAND_OFF_MS) }),
  });
  return reply.kind === 'answered' ? reply : { kind: 'timed_out' };
}

async function elicit<Fields extends FormFields>(
  { ask, policy }: AskingParts,
  key: string,
  request: ElicitationRequest<Fields>,
): Promise<InputReply<FormValue<Fields>>> {
  let message = request.message;
  for (let round = 0; round <= FORM_REPEATS; round++) {
    const roundKey = round === 0 ? key : `${key}~${round}`;
    const reply = await ask({
      key: roundKey,
      kind: 'elicitation',
      prepare: () => policy.form(elicitationParams({ ...request, message })),
    });
    if (reply.kind !== 'answered') return reply;
    const form = readForm(request.fields, reply.value);
    if (form.ok) return { kind: 'answered', value: form.value };
    message = `${request.message}\n\nPlease correct: ${form.fault}`;
  }
  return { kind: 'failed', message: 'the form came back with wrong values each time' };
}

function readFolders(raw: unknown): readonly string[] | undefined {
  const roots = readRoots(raw);
  return roots && rootFolders(roots);
}

function read<Answer>(reply: StoredReply, parse: (raw: unknown) => Answer | undefined): InputReply<Answer> {
  if (reply.kind !== 'answered') return reply;
  const value = parse(reply.value);
  return value === undefined ? (UNREADABLE as InputReply<Answer>) : { kind: 'answered', value };
}
