/** The settings of the listener for operators: where it is, and who may look or change something there. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { tokens, wholeNumber } from './setting-forms.js';
import type { TokenEntry } from './web/login.js';

/** Rows of the settings table, as in `SETTINGS`. */
export const OPS_SETTINGS = {
  LONGHAUL_OPS_PORT: {
    schema: wholeNumber(0, 65_535).optional(),
    fallback: '',
    meaning: 'Port of the dashboard, metrics and health for operators; 0 for a free one. There is none unless set.',
  },
  LONGHAUL_OPS_HOST: {
    schema: z.string(),
    fallback: '127.0.0.1',
    meaning: 'Address that the port is on; one that others can reach needs tokens.',
  },
  LONGHAUL_OPS_WRITE: {
    schema: z.enum(['true', 'false']),
    fallback: 'false',
    meaning: 'Whether operators with a token may cancel, retry and promote jobs there; without, it only shows.',
  },
  LONGHAUL_OPS_TOKENS: {
    schema: tokens,
    fallback: '',
    meaning: 'Operators: name:token, separated by commas. They see all jobs and, if allowed, change them.',
  },
  LONGHAUL_OPS_TOKENS_FILE: {
    schema: z.string().optional(),
    fallback: '',
    meaning: 'A file of further operators, one name:token a line; read again when it changes.',
  },
  LONGHAUL_OPS_READ_TOKENS: {
    schema: tokens,
    fallback: '',
    meaning:
      'Who may only look, such as Prometheus: name:token. If set, nobody looks without a token, on loopback either.',
  },
} as const;

/** The validated settings of the ops listener. */
export interface OpsEntry {
  /** Undefined for no listener. */
  readonly port: number | undefined;
  readonly host: string;
  readonly write: boolean;
  readonly operators: readonly TokenEntry[];
  /** Absolute. */
  readonly operatorsFile: string | undefined;
  readonly readers: readonly TokenEntry[];
}

/** Tells the value of each of these settings. */
interface OpsValue {
  (name: 'LONGHAUL_OPS_PORT'): number | undefined;
  (name: 'LONGHAUL_OPS_HOST' | 'LONGHAUL_OPS_WRITE'): string;
  (name: 'LONGHAUL_OPS_TOKENS_FILE'): string | undefined;
  (name: 'LONGHAUL_OPS_TOKENS' | 'LONGHAUL_OPS_READ_TOKENS'): readonly TokenEntry[];
}

/** Gathers them from the settings. */
export function opsEntry(value: OpsValue): OpsEntry {
  const file = value('LONGHAUL_OPS_TOKENS_FILE');
  return {
    port: value('LONGHAUL_OPS_PORT'),
    host: value('LONGHAUL_OPS_HOST'),
    write: value('LONGHAUL_OPS_WRITE') === 'true',
    operators: value('LONGHAUL_OPS_TOKENS'),
    operatorsFile: file === undefined ? undefined : resolve(file),
    readers: value('LONGHAUL_OPS_READ_TOKENS'),
  };
}
