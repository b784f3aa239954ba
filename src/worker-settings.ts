/** The settings of workers: what they serve, and when one is given up. */
import { QUEUE_NAMES } from './core/tool.js';
import { concurrency, queues, wholeNumber } from './setting-forms.js';

/** Rows of the settings table, as in `SETTINGS`. */
export const WORKER_SETTINGS = {
  LONGHAUL_WORKERS: {
    schema: wholeNumber(0, 64),
    fallback: '1',
    meaning: 'Workers a front end starts beside itself.',
  },
  LONGHAUL_QUEUES: {
    schema: queues,
    fallback: QUEUE_NAMES.join(','),
    meaning: 'Queues that workers started here serve; --queue names one.',
  },
  LONGHAUL_CONCURRENCY: {
    schema: concurrency,
    fallback: 'analysis=2,review=10',
    meaning: 'Jobs a worker runs side by side, per queue.',
  },
  LONGHAUL_WORKER_SILENCE_SECONDS: {
    schema: wholeNumber(1, 300),
    fallback: '10',
    meaning: 'How long a worker is not heard of before others take it for dead and run its jobs.',
  },
  LONGHAUL_STANDSTILL_SECONDS: {
    schema: wholeNumber(1, 86_400),
    fallback: '600',
    meaning: 'How long a tool may block the event loop of its worker before that is ended.',
  },
  LONGHAUL_LOCK_SECONDS: {
    schema: wholeNumber(2, 3_600),
    fallback: '60',
    meaning: 'How long the queue keeps a job for its worker without a word; renewed every second.',
  },
} as const;
