import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliPorts, Operator, Screen, Terminal } from '../../src/cli/ports.js';
import { runCommandLine } from '../../src/cli/program.js';
import { AppError } from '../../src/core/errors.js';
import type { JobId } from '../../src/core/ids.js';
import type { JobRow } from '../../src/core/overview.js';
import type { InstallationStatus } from '../../src/core/status.js';
import { until } from '../support/gate.js';
import { cliHome, TEST_TOOLS } from './run-cli.js';

const ID = 'job_00000000000000000000000001' as JobId;
const ROW: JobRow = {
  id: ID,
  tool: 'analyze_codebase',
  queue: 'analysis',
  state: 'active',
  brief: { principal: 'ann' },
  createdAtMs: 90_000,
  attempt: 1,
  crashes: 0,
  progress: { progress: 40, total: 100, message: '\u001b[31mcounting' },
  handedOver: false,
  asks: [],
  isAnswered: false,
};
const MINUTE = { atMs: 0, submitted: 4, started: 3, completed: 2, failed: 1, cancelled: 0 };
const LOOK: InstallationStatus = {
  atMs: 100_000,
  roundTripMs: 0.4,
  queues: [{ name: 'analysis', waiting: 3, oldestMs: 12_000, active: 1, delayed: 0 }],
  parked: new Map([['client', { jobs: 1, oldestMs: 61_000 }]]),
  workers: [
    {
      id: 'host-12-abc',
      host: 'host',
      pid: 12,
      version: '1.2.3',
      recordVersion: 1,
      queues: ['analysis'],
      slots: 4,
      startedAtMs: 40_000,
      jobs: [ID],
      blockedMs: 0,
      beatAtMs: 99_000,
    },
  ],
  processes: [{ role: 'front_end', loopLagMs: 1, roundTripMs: 1, residentBytes: 1, calls: 0, streams: 0 }],
  sessions: 2,
  jobs: [ROW, { ...ROW, id: ID.replace('1', '2') as JobId, state: 'parked', awaits: 'client' }],
  minutes: [{ ...MINUTE, failures: [{ code: 'timed_out', count: 1, latest: ID }] }],
  complaints: [],
};

interface Watched {
  readonly looks: readonly (InstallationStatus | Error)[];
  readonly columns?: number;
  readonly screen?: boolean;
}

/** Runs the command over those looks; after the last one Ctrl-C is pressed. */
async function run(args: readonly string[], { looks, columns, screen = false }: Watched) {
  const [out, drawn]: [string[], string[]] = [[], []];
  const left = [...looks];
  const status = () => {
    const next = left.shift();
    if (left.length === 0 && args.includes('--watch')) setImmediate(() => process.emit('SIGINT', 'SIGINT'));
    return next instanceof Error || !next ? Promise.reject(next) : Promise.resolve(next);
  };
  const fake: Screen = {
    write: (text) => void drawn.push(text),
    size: () => ({ columns: columns ?? 80, rows: 40 }),
    onResize: () => () => undefined,
    onExit: () => () => undefined,
  };
  const terminal: Partial<Terminal> = {
    out: async (text) => void out.push(text),
    err: (text) => void out.push(text),
    colour: false,
    ...(columns !== undefined && { columns }),
    ...(screen && { screen: fake }),
  };
  const ports: Partial<CliPorts> = {
    version: '1.2.3',
    env: {},
    terminal: terminal as Terminal,
    withOperator: async (_config, use) => use({ status } as Operator),
  };
  const code = await runCommandLine(['status', ...args], ports as CliPorts);
  return { code, out, drawn: drawn.join('') };
}

describe('longhaul status', () => {
  it.each([80, 120])('fits into %i columns and tells ids whole', async (columns) => {
    const { code, out } = await run([], { looks: [LOOK], columns });
    expect(code).toBe(0);
    const lines = out.join('\n').split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines[0]).toBe('Longhaul 1.2.3  healthy  1970-01-01T00:01:40Z');
    expect(lines).toContain('Redis 0.4 ms, front ends 1, sessions 2, slots 1 of 4 busy');
    expect(lines).toContain('Parked: 1 for client (1m 1s)');
    expect(lines).toContain('Last hour: 4 came, 2 completed, 1 failed (timed_out 1), 0 cancelled');
    expect(out.join('\n')).toMatch(/^analysis +3 +12s +1 +0$/m);
    expect(out.join('\n')).toMatch(new RegExp(`^${ID} +analyze_codebase +active +10s .*40%`, 'm'));
    expect(out.join('\n')).toMatch(/waits: client/);
  });

  it('shows bars and owners where there is room, and lets no foreign text steer the terminal', async () => {
    const long = { ...ROW, progress: { progress: 40, total: 100, message: `\u001b[31mcounting ${'x'.repeat(200)}` } };
    const { out } = await run([], { looks: [{ ...LOOK, jobs: [long] }], columns: 120 });
    expect(out.join('\n')).toMatch(/^job_\S+ .* ann {4}████░░░░░░ 40% {2}\u{fffd}\[31mcounting x+…$/mu);
    expect(out.join('\n')).not.toContain('\u001b');
  });

  it('ends with 1 and the reason first while something is wrong', async () => {
    const { code, out } = await run(['--json'], { looks: [{ ...LOOK, workers: [] }] });
    expect(code).toBe(1);
    expect(JSON.parse(out.join(''))).toMatchObject({
      healthy: false,
      problems: [{ check: 'Workers', seen: 'none runs, and 3 jobs wait' }],
    });
  });

  it('goes on watching through an outage, a line a look where nobody draws', async () => {
    const away = new AppError('queue_unavailable', 'The job queue cannot be reached.');
    const { code, out } = await run(['--watch', '--interval', '0.2'], { looks: [LOOK, away, LOOK] });
    expect(code).toBe(130);
    expect(out.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'healthy, analysis 3 waiting 1 running, 1 parked, 1 workers',
      'unhealthy (Redis: The job queue cannot be reached.)',
      'healthy, analysis 3 waiting 1 running, 1 parked, 1 workers',
    ]);
  });

  it('draws in place on a terminal, and leaves the last view and a visible cursor', async () => {
    const watched = await run(['--watch', '--interval', '0.2'], { looks: [LOOK, LOOK], columns: 80, screen: true });
    expect(watched).toMatchObject({ code: 130, out: [] });
    expect(watched.drawn.split('\u001b[H')).toHaveLength(3);
    expect(watched.drawn.indexOf('\u001b[?25l')).toBeLessThan(watched.drawn.indexOf('\u001b[?25h'));
    expect(watched.drawn.split('\u001b[?1049l')[1]).toMatch(/^Longhaul 1\.2\.3 {2}healthy/);
  });

  it('finds a Redis that cannot be reached', async () => {
    const home = await cliHome();
    const away = await home.run(['status', '--json', '--redis', 'redis://127.0.0.1:1']);
    expect(away.code).toBe(1);
    expect(JSON.parse(away.stdout)).toMatchObject({ healthy: false, problems: [{ check: 'Redis', status: 'fail' }] });
  });
});

describe('an installation at work', () => {
  it('is told by its status, and the log of a job is followed to its end or left alone', async () => {
    const home = await cliHome();
    // A worker that beats so rarely has not told of the job itself.
    const env = { LONGHAUL_WORKER_SILENCE_SECONDS: '300' };
    const wanted = ['http', '--port', '0', '--workers', '1', '--tools', TEST_TOOLS, '--log-level', 'info'];
    const server = home.start(wanted, { env });
    const url = await server.saysMatching(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    await home.run(['call', 'echo', '--url', url, '--args', '{"text":"once it has beaten"}']);
    const args = JSON.stringify({ gate: join(home.folder, 'gate'), progress: [40] });
    const call = home.start(['call', 'gated', '--url', url, '--args', args]);
    await call.says('40%');
    // The front end tells of itself every few seconds, the first time once it has reached its Redis; and a look has seconds, no more.
    const status = await until(
      async () => {
        const { code, stdout } = await home.run(['status', '--json'], { env });
        return { code, ...JSON.parse(stdout) };
      },
      ({ front_ends, healthy }) => front_ends === 1 && healthy,
      { what: 'the front end to be told of, and all to be well' },
    );
    const [{ job_id: id }] = status.jobs;
    expect(status).toMatchObject({
      code: 0,
      healthy: true,
      workers: [{ jobs: [id] }],
      front_ends: 1,
      jobs: [{ state: 'active', owner: 'local', progress: { progress: 40, total: 100 } }, { state: 'completed' }],
    });

    const [left, followed] = [home.start(['jobs', 'logs', '-f', id, '--json']), home.start(['jobs', 'logs', '-f', id])];
    await Promise.all([left.says('at the gate'), followed.says('at the gate')]);
    left.interrupt();
    const { code, stdout } = await left.end;
    const told = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect({ code, types: told.map(({ type }) => type) }).toEqual({ code: 130, types: ['state', 'progress', 'log'] });

    const cancelled = await home.run(['jobs', 'cancel', id, '--reason', 'enough']);
    expect(cancelled.stdout).toBe(`Job ${id} is cancelled.\n`);
    const end = await followed.end;
    expect(end).toMatchObject({ code: 0, stderr: 'enough\n' });
    expect(end.stdout).toMatch(/Z {2}outcome +cancelled\n$/);
    const rest = await home.run(['jobs', 'logs', id, '--json', '--after', told[2].cursor]);
    expect(JSON.parse(rest.stdout)).toMatchObject({ type: 'outcome', state: 'cancelled' });
  });
});
