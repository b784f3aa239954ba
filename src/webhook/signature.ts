/** Signs notifications as Standard Webhooks says (https://github.com/standard-webhooks/standard-webhooks, spec, "Signature scheme"). */
import { createHmac } from 'node:crypto';

/** The header fields of a signed message. */
export interface SignedHeaders {
  readonly 'webhook-id': string;
  /** Seconds since the epoch. */
  readonly 'webhook-timestamp': string;
  /** One `v1,` and HMAC-SHA256 in base64 for each key, separated by blanks. */
  readonly 'webhook-signature': string;
}

/** What is signed, and when; a receiver refuses what is too old. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

/** Signs with every key, so that one can be replaced by another without a gap. */
export function signed({ id, body, atMs }: Message, keys: readonly Buffer[]): SignedHeaders {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = keys.map((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${mac}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
