/** Tells where BullMQ has a job, and who holds it. */
import type { Queue } from 'bullmq';
import type { Place } from '../core/sweep.js';
import type { BullContext } from './options.js';

const PLACES: Readonly<Record<string, Exclude<Place['kind'], 'active'>>> = {
  waiting: 'waiting',
  prioritized: 'waiting',
  'waiting-children': 'waiting',
  delayed: 'delayed',
  completed: 'ended',
  failed: 'ended',
};

/** Where the job lies; a job that lies nowhere is missing, whether or not something of it is left. */
export async function placeOf({ connection }: BullContext, queue: Queue, id: string): Promise<Place> {
  const state = await queue.getJobState(id);
  if (state !== 'active') return { kind: PLACES[state] ?? 'missing' };
  const [token, holder] = await Promise.all([
    connection.get(`${queue.toKey(id)}:lock`),
    connection.hget(queue.toKey(id), 'pb'),
  ]);
  return { kind: 'active', isLocked: token !== null, holder: holder ?? undefined };
}
