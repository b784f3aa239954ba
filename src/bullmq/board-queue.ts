/**
 * A queue as the board sees it: to be looked at only. Jobs are changed by the product's own verbs, whose records come first;
 * to remove, retry or promote one in BullMQ alone would leave its record behind, and its caller waiting.
 */
import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import type { JobCounts, JobState, JobStatus, QueueJob, QueueMetrics, Status } from '@bull-board/api/typings/app';
import type { Queue } from 'bullmq';
import { readBoardJob } from './board-jobs.js';
import type { BullContext } from './options.js';

const STATUSES = ['active', 'prioritized', 'waiting', 'delayed', 'completed', 'failed'] as const;

/** Those that wait are told in the order in which they go, all others the latest first. */
const NEXT_FIRST: ReadonlySet<string> = new Set(['prioritized', 'delayed']);

/** What the adapter stands on. */
export interface BoardQueueParts {
  readonly context: Pick<BullContext, 'connection'>;
  readonly queue: Queue;
  /** Takes secrets out of a text. */
  clean(text: string): Promise<string>;
}

/** Builds the adapter; whatever would change the queue rejects. */
export class BoardQueue extends BaseAdapter {
  constructor(private readonly parts: BoardQueueParts) {
    super('bullmq', { readOnlyMode: true });
  }

  getName(): string {
    return this.parts.queue.name;
  }

  async getJob(id: string): Promise<QueueJob | undefined> {
    const { context, queue, clean } = this.parts;
    const json = await readBoardJob(context, queue.toKey(id), clean);
    if (!json) return undefined;
    const state = async (): Promise<JobState> => (await queue.getJobState(id)) as JobState;
    return { opts: json.opts, toJSON: () => json, getState: state, promote: refuse, remove: refuse, retry: refuse };
  }

  async getJobs(statuses: JobStatus[], start = 0, end = 0): Promise<QueueJob[]> {
    const known = STATUSES.filter((status) => statuses.includes(status));
    const { queue } = this.parts;
    const found = await Promise.all(known.map((one) => queue.getRanges([one], start, end, NEXT_FIRST.has(one))));
    const ids = found.flat();
    const jobs = await Promise.all([...new Set(ids)].map((id) => this.getJob(id)));
    return jobs.filter((job) => job !== undefined);
  }

  async getJobCounts(): Promise<JobCounts> {
    const counts = await this.parts.queue.getJobCounts(...STATUSES);
    return Object.fromEntries(STATUSES.map((status) => [status, counts[status] ?? 0])) as JobCounts;
  }

  getStatuses(): Status[] {
    return ['latest', ...STATUSES];
  }

  getJobStatuses(): JobStatus[] {
    return [...STATUSES];
  }

  /** Told by the product's own metrics. */
  getMetrics(): Promise<QueueMetrics> {
    return Promise.resolve({ meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [], count: 0 });
  }

  isPaused(): Promise<boolean> {
    return this.parts.queue.isPaused();
  }

  /** Logs are events of the product's own. */
  getJobLogs = (): Promise<string[]> => Promise.resolve([]);
  getRedisInfo = (): Promise<null> => Promise.resolve(null);
  getJobSchedulers = (): Promise<[]> => Promise.resolve([]);
  getJobSchedulersCount = (): Promise<number> => Promise.resolve(0);
  getGlobalConcurrency = (): Promise<null> => Promise.resolve(null);
  addJob = refuse;
  clean = refuse;
  pause = refuse;
  resume = refuse;
  empty = refuse;
  obliterate = refuse;
  promoteAll = refuse;
  removeJobScheduler = refuse;
  updateJobScheduler = refuse;
  runJobSchedulerNow = refuse;
  setGlobalConcurrency = refuse;
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('The board only shows; jobs are changed on their pages in the overview.'));
}
