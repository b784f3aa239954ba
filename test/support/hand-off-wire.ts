/** What a scripted client sees of a job that is handed over to it. */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { textOf, type WireResult, type WireSession } from './http-wire.js';

/** The settings that load the tool that hands its jobs over beside the scripted ones. */
export const HAND_OFF = { LONGHAUL_TOOLS: fileURLToPath(new URL('./hand-off-tools.mjs', import.meta.url)) } as const;

/** Expects a normal, completed result that says it is preliminary, and gives the job's id. */
export function expectPreliminary(result: WireResult | undefined, round = 1): string {
  expect(result?.isError).toBeUndefined();
  const { job_id: id, status, packet } = { ...result?.structuredContent };
  expect([status, String(packet).slice(0, 9)]).toEqual(['handed_over', `packet ${round} `]);
  expect(textOf(result ?? {})).toMatch(new RegExp(`^handed_over packet ${round} `));
  expect(result?.content).toHaveLength(2);
  expect(result?.content?.[1]?.text).toContain(`job ${id} waits until`);
  expect(result?._meta).toMatchObject({
    'longhaul/jobId': id,
    'longhaul/handOff': { tool: 'submit_review', job_id: id, until: expect.stringMatching(/^20\d\d-.*Z$/) },
  });
  return String(id);
}

/** Makes a job that is handed over, and gives its id. */
export async function handOver(session: WireSession, args: object = {}): Promise<string> {
  return expectPreliminary(await session.result(`hand-${Math.random()}`, 'hand_over', args));
}

/** Submits findings, and gives the result of that call. */
export function submit(session: WireSession, id: string, findings: readonly unknown[] = []): Promise<WireResult> {
  return session.result(`submit-${Math.random()}`, 'submit_review', { job_id: id, findings });
}

/** A job as `get_job` tells it. */
export async function jobOf(session: WireSession, id: string): Promise<Readonly<Record<string, unknown>>> {
  const { structuredContent } = await session.result(`get-${Math.random()}`, 'get_job', { job_id: id });
  return { ...structuredContent };
}

/** Expects an error result with this code, and gives its words. */
export function expectError(result: WireResult | undefined, code: string): string {
  expect(result).toMatchObject({ isError: true, _meta: { 'longhaul/error': { code } } });
  expect(result).not.toHaveProperty('structuredContent');
  return textOf(result);
}
