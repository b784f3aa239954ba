/** What calls are told while Redis is down: each is answered in under a second, with words that say so. */
import { pause } from '../../../src/core/lifecycle.js';
import { m26, send } from '../../support/http-wire.js';
import type { Installation } from './installation.js';

/** A call made while Redis was down. */
export interface Probe {
  /** From the request to its answer. */
  readonly tookMs: number;
  /** The same of `/livez` of the same front end at the same time, which needs no Redis: how busy the machine is. */
  readonly aliveMs: number;
  /** The code of the answer's error. */
  readonly code: string;
}

const EVERY_MS = 1_000;
const PROMPT_MS = 1_000;
/** Any job will do: none can be looked up. */
const NO_JOB = `job_${'0'.repeat(26)}`;

/** Calls every front end again and again; those that die or stand still meanwhile say nothing of the outage. */
export async function probeUntil(ending: AbortSignal, { frontEnds }: Installation): Promise<Probe[]> {
  const probes: Probe[] = [];
  while (!ending.aborted) {
    const asked = await Promise.all(frontEnds.map(({ port }) => probe(port).catch(() => undefined)));
    if (!ending.aborted) probes.push(...asked.filter((one) => one !== undefined));
    await pause(EVERY_MS, ending);
  }
  return probes;
}

async function probe(port: number): Promise<Probe> {
  const call = async () => {
    const reply = await m26({ port }, 'probe', ['tools/call', { name: 'get_job', arguments: { job_id: NO_JOB } }]);
    return (await reply.response('probe')).result;
  };
  const [[result, tookMs], [, aliveMs]] = await Promise.all([
    timed(call()),
    timed(send({ port }, { method: 'GET', path: '/livez' }).then((reply) => reply.text())),
  ]);
  return { tookMs, aliveMs, code: String(Object(result?._meta?.['longhaul/error']).code) };
}

async function timed<T>(act: Promise<T>): Promise<readonly [T, number]> {
  const startedMs = Date.now();
  return [await act, Date.now() - startedMs];
}

/** What is wrong with the answers. */
export function judgeProbes(probes: readonly Probe[]): string[] {
  return probes.flatMap(({ tookMs, aliveMs, code }) => [
    ...(code === 'queue_unavailable' ? [] : [`a call while Redis was down was answered with ${code}`]),
    ...(tookMs <= PROMPT_MS + aliveMs
      ? []
      : [`a call while Redis was down took ${tookMs} ms; /livez took ${aliveMs} ms`]),
  ]);
}
