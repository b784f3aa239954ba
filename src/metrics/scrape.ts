/** Answers a scrape: reads the installation within a limit of time and writes it down, with the front end's own process, for Prometheus. */
import type { Registry } from 'prom-client';
import { type Family, familiesOf, type Known, type Reading } from './samples.js';

/** What a scrape stands on. */
export interface ScrapeOptions extends Known {
  /** Rejects while Redis is away; may hang. */
  read(): Promise<Reading>;
}

/** An answer to a scrape. */
export interface Exposition {
  readonly type: string;
  readonly body: string;
}

/** A scrape takes no longer than this by much, whatever state Redis is in. */
const READ_LIMIT_MS = 700;

/** Builds the answering; what it needs is loaded by the first scrape, which is never made where nobody asks. */
export function createScrape(options: ScrapeOptions): () => Promise<Exposition> {
  let own: Promise<Registry> | undefined;
  return async () => {
    const { AggregatorRegistry, Registry } = await import('prom-client');
    own ??= ownProcess();
    const [reading, process] = await Promise.all([within(options.read()), own]);
    const families = familiesOf(reading, options).map(written);
    const all = Registry.merge([AggregatorRegistry.aggregate([families]), process]);
    return { type: all.contentType, body: await all.metrics() };
  };
}

/** Processor, memory, handles and garbage of the process that answers. */
async function ownProcess(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

function written({ name, help, type, values }: Family) {
  return { name, help, type, values, aggregator: 'sum' };
}

async function within(reading: Promise<Reading>): Promise<Reading | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_LIMIT_MS);
  });
  try {
    return await Promise.race([reading.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
