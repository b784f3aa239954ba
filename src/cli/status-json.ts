/** A look at an installation for programs. */
import type { JobRow } from '../core/overview.js';
import type { InstallationStatus } from '../core/status.js';
import { failureCounts, isHealthy, type StatusView } from './render-status.js';

/** As `longhaul status --json` prints it; without a look, only what is amiss. */
export function statusJson(view: StatusView, version: string) {
  const { look, complaints } = view;
  return { healthy: isHealthy(view), problems: complaints, version, ...(look && lookJson(look)) };
}

function lookJson(look: InstallationStatus) {
  const { minutes } = look;
  const total = (name: 'submitted' | 'started' | 'completed' | 'failed' | 'cancelled') =>
    minutes.reduce((sum, minute) => sum + minute[name], 0);
  return {
    at: iso(look.atMs),
    redis_round_trip_ms: Math.round(look.roundTripMs * 100) / 100,
    queues: look.queues.map(({ name, waiting, oldestMs, active, delayed }) => ({
      queue: name,
      waiting,
      oldest_waiting_ms: oldestMs,
      running: active,
      delayed,
    })),
    parked: [...look.parked].map(([waits_for, { jobs, oldestMs }]) => ({ waits_for, jobs, oldest_ms: oldestMs })),
    workers: look.workers.map(({ id, host, pid, version, queues, slots, jobs, ...worker }) => ({
      worker: id,
      host,
      pid,
      version,
      queues,
      slots,
      jobs,
      started_at: iso(worker.startedAtMs),
      beat_age_ms: Math.max(0, look.atMs - worker.beatAtMs),
      blocked_ms: worker.blockedMs,
    })),
    front_ends: look.processes.filter(({ role }) => role === 'front_end').length,
    sessions: look.sessions,
    last_hour: {
      submitted: total('submitted'),
      started: total('started'),
      completed: total('completed'),
      failed: total('failed'),
      cancelled: total('cancelled'),
      failures: failureCounts(look).map(([code, count]) => ({ code, count })),
    },
    jobs: look.jobs.map(jobJson),
  };
}

function jobJson({ id, tool, queue, state, brief, progress, attempt, crashes, workerId, asks, ...row }: JobRow) {
  return {
    job_id: id,
    tool,
    queue,
    state,
    attempt,
    worker_crashes: crashes,
    ...(brief && { owner: brief.principal }),
    ...(row.createdAtMs !== undefined && { created_at: iso(row.createdAtMs) }),
    ...(row.startedAtMs !== undefined && { started_at: iso(row.startedAtMs) }),
    ...(row.endedAtMs !== undefined && { ended_at: iso(row.endedAtMs) }),
    ...(row.untilMs !== undefined && { until: iso(row.untilMs) }),
    ...(workerId !== undefined && { worker: workerId }),
    ...(progress && { progress }),
    ...(state === 'parked' && { waits_for: row.handedOver ? 'submit_review' : (row.awaits ?? 'client'), asks }),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
