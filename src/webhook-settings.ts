/** The settings of the webhook that hears of ended jobs. */
import { z } from 'zod';
import { AppError } from './core/errors.js';
import { wholeNumber } from './setting-forms.js';
import type { WebhookOptions } from './webhook/notifier.js';
import { refusalOf } from './webhook/post.js';

/** Keys of a signature are at least as long as Standard Webhooks says, in bytes. */
const LEAST_KEY_BYTES = 24;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const webhookUrl = z.string().transform((text, issue): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url && isHttp && url.username === '' && url.password === '') return url;
  issue.addIssue('expected an https:// or http:// URL without a user or password');
  return z.NEVER;
});

const webhookKeys = z.string().transform((text, issue): readonly Buffer[] => {
  const keys = text.split(',').map((part) => keyOf(part.trim()));
  const known = keys.filter((key) => key !== undefined);
  if (known.length === keys.length) return known;
  issue.addIssue(`expected base64 of at least ${LEAST_KEY_BYTES} bytes, as of: openssl rand -base64 32`);
  return z.NEVER;
});

/** Rows of the settings table, as in `SETTINGS`. */
export const WEBHOOK_SETTINGS = {
  LONGHAUL_WEBHOOK_URL: {
    schema: webhookUrl.optional(),
    fallback: '',
    meaning: 'Where it is told that a job ended; nowhere unless set. Needs a secret.',
  },
  LONGHAUL_WEBHOOK_SECRET: {
    schema: webhookKeys.optional(),
    fallback: '',
    meaning: 'Signs what is told, as of `openssl rand -base64 32`; two separated by a comma let one be replaced.',
  },
  LONGHAUL_WEBHOOK_ADDRESSES: {
    schema: z.enum(['public', 'any']),
    fallback: 'public',
    meaning: 'Which addresses the URL may lead to: public ones, or any, those of this host and its networks included.',
  },
  LONGHAUL_WEBHOOK_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 60),
    fallback: '10',
    meaning: 'How long its receiver may take to answer.',
  },
} as const;

/** Tells the value of each of these settings. */
interface WebhookValue {
  (name: 'LONGHAUL_WEBHOOK_URL'): URL | undefined;
  (name: 'LONGHAUL_WEBHOOK_SECRET'): readonly Buffer[] | undefined;
  (name: 'LONGHAUL_WEBHOOK_ADDRESSES'): 'public' | 'any';
  (name: 'LONGHAUL_WEBHOOK_TIMEOUT_SECONDS'): number;
}

/** Gathers them from the settings; undefined for no webhook. Throws `invalid_configuration` for a URL without a secret or that leads nowhere. */
export function webhookEntry(value: WebhookValue): WebhookOptions | undefined {
  const [url, keys] = [value('LONGHAUL_WEBHOOK_URL'), value('LONGHAUL_WEBHOOK_SECRET')];
  if (!url) return undefined;
  if (!keys) {
    const message = 'LONGHAUL_WEBHOOK_URL needs LONGHAUL_WEBHOOK_SECRET, by which its receiver knows who sent it: ';
    throw new AppError('invalid_configuration', `${message}openssl rand -base64 32`);
  }
  const anyAddress = value('LONGHAUL_WEBHOOK_ADDRESSES') === 'any';
  const refused = anyAddress ? undefined : refusalOf(url);
  if (refused !== undefined) throw new AppError('invalid_configuration', `LONGHAUL_WEBHOOK_URL: ${refused}.`);
  return {
    url,
    keys,
    anyAddress,
    timeoutMs: value('LONGHAUL_WEBHOOK_TIMEOUT_SECONDS') * 1_000,
  };
}

/** With or without the prefix by which Standard Webhooks marks a secret. */
function keyOf(text: string): Buffer | undefined {
  const encoded = text.replace(/^whsec_/, '');
  const key = Buffer.from(encoded, 'base64');
  return BASE64.test(encoded) && key.length >= LEAST_KEY_BYTES ? key : undefined;
}
