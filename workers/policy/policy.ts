/** The sampling policy: the one place that everything asked of a client's model passes, whatever tool asks it. */
import { AbortReason } from '../../src/core/abort.js';
import type { BudgetScope, Input, StoredReply } from '../../src/core/input.js';
import type { JobSeed } from '../../src/core/job.js';
import type { BudgetLedger } from '../../src/core/ports.js';
import type { SamplingRequest } from '../../src/core/sampling.js';
import type { SamplingLimits } from '../../src/core/sampling-limits.js';
import { spendingOf, tokensOf, usedByKey } from './job-budget.js';
import { type Prepared, prepareForm, prepareSampling, type Redact } from './prepare.js';
import { remembering } from './remember.js';

/** What the policy stands on. */
export interface PolicyDeps {
  readonly limits: SamplingLimits;
  readonly ledger: BudgetLedger;
  readonly redact: Redact;
  /** Wakes the jobs in line for a session's budget, as far as it reaches now. */
  wakeNext(session: string): Promise<void>;
}

/** A sampling question that is about to be asked for the first time. */
export interface Candidate {
  readonly key: string;
  readonly prepared: Prepared;
  /** All of the job's questions so far. */
  readonly inputs: readonly Input[];
  /** Whether one asked earlier waits for room; those behind it wait as well. */
  readonly behind: boolean;
}

/**
 * What becomes of a candidate: it is asked; or it waits until questions of its own job, or of others in its session, are
 * answered; or it got its reply here.
 */
export type Admission =
  | { readonly kind: 'ask' }
  | { readonly kind: 'wait'; readonly inLine: boolean }
  | { readonly kind: 'decided'; readonly reply: StoredReply };

/** The policy as one run of a job meets it. */
export interface RunPolicy {
  sampling(request: SamplingRequest, withTools: boolean): Promise<Prepared>;
  form(params: Readonly<Record<string, unknown>>): Promise<Prepared>;
  /** Judges a question once; it is stored then, and stands whatever the limits become. */
  admit(candidate: Candidate): Promise<Admission>;
  /** Accounts for the answers that came, and wakes whoever they leave room for. */
  settle(inputs: readonly Input[]): Promise<void>;
  /** Wakes whoever has room now that the job has ended. */
  ended(): Promise<void>;
  /** Whether the job still waits in line for its session's budget. */
  isInLine(): Promise<boolean>;
}

/** See `createSamplingPolicy`. */
export interface SamplingPolicy {
  forRun(seed: JobSeed, run: string): RunPolicy;
}

/** Builds the policy of a worker. */
export function createSamplingPolicy(deps: PolicyDeps): SamplingPolicy {
  const { limits, ledger, wakeNext } = deps;
  const redact = remembering(deps.redact);
  return {
    forRun: (seed, run) => ({
      sampling: (request, withTools) => prepareSampling(request, { limits, redact, withTools }),
      form: (params) => prepareForm(params, redact),
      admit: (candidate) => admit(deps, { seed, run }, candidate),
      async settle(inputs) {
        const used = usedByKey(inputs);
        if (seed.session === undefined || used.size === 0) return;
        const settled = await ledger.settle(seed.session, { id: seed.id, run }, used);
        if (settled !== 'written') throw notOurs(settled);
        await wakeNext(seed.session);
      },
      async ended() {
        if (seed.session !== undefined) await wakeNext(seed.session);
      },
      isInLine: async () => seed.session !== undefined && ledger.isWaiting(seed.session, seed.id),
    }),
  };
}

interface Run {
  readonly seed: JobSeed;
  readonly run: string;
}

async function admit(deps: PolicyDeps, run: Run, candidate: Candidate): Promise<Admission> {
  const { prepared, inputs, behind } = candidate;
  const { requestInputTokens, jobOutputTokens } = deps.limits;
  const { inputTokens = 0 } = prepared;
  if (inputTokens > requestInputTokens)
    return exhausted(
      'input',
      `the request has about ${inputTokens} tokens and may have ${requestInputTokens}; send less at a time, or raise LONGHAUL_REQUEST_INPUT_TOKENS`,
    );
  const tokens = tokensOf({ request: prepared.sent ?? prepared.asked });
  const { used, reserved } = spendingOf(inputs);
  if (used + tokens > jobOutputTokens)
    return exhausted(
      'job',
      `the answers of this job have used about ${used} of ${jobOutputTokens} tokens, and up to ${tokens} more were wanted; ask for less at a time, or raise LONGHAUL_JOB_OUTPUT_TOKENS`,
    );
  if (behind || used + reserved + tokens > jobOutputTokens) return { kind: 'wait', inLine: false };
  return admitToSession(deps, run, { key: candidate.key, tokens });
}

async function admitToSession(
  { ledger, limits }: PolicyDeps,
  { seed: { id, session }, run }: Run,
  { key, tokens }: { readonly key: string; readonly tokens: number },
): Promise<Admission> {
  // A client without sessions, as in 2026-07-28, is held by the budget of each job alone.
  if (session === undefined) return { kind: 'ask' };
  const limit = limits.sessionOutputTokens;
  const { kind, used } = await ledger.reserve({ session, id, run, key, tokens, limit });
  switch (kind) {
    case 'reserved':
      return { kind: 'ask' };
    case 'full':
      return { kind: 'wait', inLine: true };
    case 'spent':
      return exhausted(
        'session',
        `the answers in this session have used about ${used} of ${limit} tokens, and up to ${tokens} more were wanted; start a new session, or raise LONGHAUL_SESSION_OUTPUT_TOKENS`,
      );
    case 'ended':
    case 'superseded':
      throw notOurs(kind);
    default:
      return kind satisfies never;
  }
}

function notOurs(why: 'ended' | 'superseded'): AbortReason {
  return new AbortReason(why === 'ended' ? 'cancelled' : 'superseded', 'the job no longer belongs to this run');
}

function exhausted(scope: BudgetScope, message: string): Admission {
  return { kind: 'decided', reply: { kind: 'exhausted', scope, message } };
}
