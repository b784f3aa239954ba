/** Fuzzes what reads source files, for a while or for a number of inputs. */
import { readSamples } from './corpus.js';
import { superLinear } from './growth.js';
import { makeInput } from './inputs.js';
import { createRandom } from './random.js';
import { faultsOf } from './target.js';
import { startWatchdog } from './watchdog.js';

/** Which inputs to try. */
export interface FuzzOptions {
  readonly seed: number;
  /** The first input's number. */
  readonly from?: number;
  readonly inputs?: number;
  /** Processor time, so that a busy machine tries as much as a quiet one. */
  readonly cpuSeconds?: number;
  readonly onFinding?: (finding: Finding) => void;
  /** Ends the run early; what was tried until then is reported. */
  readonly signal?: AbortSignal;
}

/** An input that was measured wrongly, failed, or took too long. */
export interface Finding {
  readonly index: number;
  readonly kind: string;
  readonly name: string;
  readonly bytes: Buffer;
  readonly faults: readonly string[];
}

/** What a run tried and found. */
export interface FuzzReport {
  readonly seed: number;
  readonly inputs: number;
  readonly megabytes: number;
  readonly cpuSeconds: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly findings: readonly Finding[];
}

const HANG_MS = 240_000;
const MOST_FINDINGS = 20;
/** After so many inputs others may run, such as who hears of Ctrl-C. */
const BREATH_INPUTS = 64;

/** Tries inputs until time, number or patience is used up. */
export async function fuzz({
  seed,
  from = 0,
  inputs = Number.POSITIVE_INFINITY,
  cpuSeconds = Number.POSITIVE_INFINITY,
  onFinding,
  signal,
}: FuzzOptions): Promise<FuzzReport> {
  const samples = readSamples();
  const watchdog = startWatchdog(seed, HANG_MS);
  const start = process.cpuUsage();
  const spent = () => cpuSecondsSince(start);
  const findings: Finding[] = [];
  const byKind: Record<string, number> = {};
  let bytes = 0;
  let slowestMs = 0;
  let index = from;
  for (; index - from < inputs && spent() < cpuSeconds && findings.length < MOST_FINDINGS; index += 1) {
    watchdog.watch(index);
    if (index % BREATH_INPUTS === 0) await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted) break;
    const input = makeInput(createRandom(seed, index), samples);
    const before = process.cpuUsage();
    const faults = attempt(input.name, input.bytes);
    slowestMs = Math.max(slowestMs, cpuSecondsSince(before) * 1000);
    byKind[input.kind] = (byKind[input.kind] ?? 0) + 1;
    bytes += input.bytes.length;
    if (faults.length === 0) continue;
    const finding = { index, ...input, faults };
    findings.push(finding);
    onFinding?.(finding);
  }
  await watchdog.end();
  return { seed, inputs: index - from, megabytes: bytes / 1e6, cpuSeconds: spent(), byKind, slowestMs, findings };
}

function attempt(name: string, bytes: Buffer): string[] {
  try {
    const faults = faultsOf(name, Buffer.from(bytes));
    const growth = superLinear(name, bytes);
    return growth
      ? [
          ...faults,
          `${growth.bytes} bytes take ${growth.ms.toFixed(1)} ms, eight times as many ${growth.longerMs.toFixed(1)} ms`,
        ]
      : faults;
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}

function cpuSecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}
