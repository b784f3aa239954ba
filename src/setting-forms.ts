/** The forms in which a setting may be written, each parsed from its text; knows no setting by name. */
import { z } from 'zod';
import { QUEUE_NAMES, type QueueName } from './core/tool.js';
import { readTokens } from './http-tokens.js';

/** A whole number within limits. */
export const wholeNumber = (minimum: number, maximum: number) => {
  const error = `expected a whole number from ${minimum} to ${maximum}`;
  return z.coerce.number({ error }).int(error).min(minimum, error).max(maximum, error);
};

/** Entries between separators, trimmed; empty ones are left out. */
export const list = (separator: string) =>
  z.string().transform((text) =>
    text
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** Slots per queue: one number for all, or a list by name. */
export const concurrency = z.string().transform((text, issue): Record<QueueName, number> => {
  const parsed = parseConcurrency(text);
  if (parsed) return parsed;
  issue.addIssue(`expected a number from 1 to 10000, or a list such as analysis=2,review=50`);
  return z.NEVER;
});

/** Pairs `name:token`; what is wrong with them is told without a token. */
export const tokens = z.string().transform((text, issue) => {
  const { entries, faults } = readTokens(text.split(','), 'entry');
  for (const fault of faults) issue.addIssue(fault);
  return entries;
});

/** Names of queues, at least one. */
export const queues = z.string().transform((text, issue): readonly QueueName[] => {
  const names = text.split(',').map((name) => name.trim());
  const known = QUEUE_NAMES.filter((name) => names.includes(name));
  if (known.length > 0 && names.every((name) => QUEUE_NAMES.some((one) => one === name))) return known;
  issue.addIssue(`expected one or more of ${QUEUE_NAMES.join(', ')}, separated by commas`);
  return z.NEVER;
});

/** Slots per queue unless configured: a scan keeps two cores busy by itself, a review mostly waits. */
const DEFAULT_CONCURRENCY: Record<QueueName, number> = { analysis: 2, review: 10 };

function parseConcurrency(text: string): Record<QueueName, number> | undefined {
  const slots = (part: string) =>
    /^\d+$/.test(part) && Number(part) >= 1 && Number(part) <= 10_000 ? Number(part) : undefined;
  const all = slots(text.trim());
  if (all) return { analysis: all, review: all };
  const result = { ...DEFAULT_CONCURRENCY };
  for (const part of text.split(',')) {
    const [name = '', count = ''] = part.split('=').map((side) => side.trim());
    const queue = QUEUE_NAMES.find((known) => known === name);
    const parsed = slots(count);
    if (!queue || !parsed) return undefined;
    result[queue] = parsed;
  }
  return result;
}
