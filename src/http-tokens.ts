/** The tokens of HTTP callers and of operators as the operator writes them: pairs `name:token` in a setting, or one a line in a file. */
import { readFile } from 'node:fs/promises';
import { AppError } from './core/errors.js';
import type { TokenEntry } from './web/login.js';

/** What came of reading some pairs; a fault names the place and the principal, never the token. */
export interface ReadTokens {
  readonly entries: readonly TokenEntry[];
  readonly faults: readonly string[];
}

const PRINCIPAL = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
/** What a bearer token is made of (RFC 6750, 2.1). */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
/** 16 characters of base64 are 96 random bits. */
const LEAST_LENGTH = 16;

/** Reads pairs; empty ones and those that begin with `#` are passed over. */
export function readTokens(pairs: readonly string[], place: string): ReadTokens {
  const entries: TokenEntry[] = [];
  const faults: string[] = [];
  for (const [index, text] of pairs.entries()) {
    const pair = text.trim();
    if (pair === '' || pair.startsWith('#')) continue;
    const colon = pair.indexOf(':');
    const [principal, token] = [pair.slice(0, Math.max(0, colon)), pair.slice(colon + 1)];
    const fault = faultOf(principal, token) ?? ownedByAnother(entries, principal, token);
    if (fault === undefined) entries.push({ principal, token });
    else faults.push(`${place} ${index + 1}: ${fault}`);
  }
  return { entries, faults };
}

/** A file of tokens, and the setting that names it. */
export interface TokensFile {
  /** Absolute. */
  readonly path: string;
  readonly setting: string;
}

/** Reads the tokens of a file; throws `invalid_configuration` naming every fault. */
export async function tokensOfFile(file: TokensFile): Promise<readonly TokenEntry[]> {
  return tokensIn(await textOf(file), file);
}

/** As `tokensOfFile`, of what was read already. */
export function tokensIn(text: string, { path, setting }: TokensFile): readonly TokenEntry[] {
  const { entries, faults } = readTokens(text.split('\n'), 'line');
  const all = entries.length === 0 && faults.length === 0 ? ['it holds no token'] : faults;
  if (all.length === 0) return entries;
  throw new AppError('invalid_configuration', `${setting} (${path}):\n  ${all.join('\n  ')}`);
}

/** The text of the file; throws `invalid_configuration` if it cannot be read. */
export async function textOf({ path, setting }: TokensFile): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new AppError('invalid_configuration', `${setting}: ${path} cannot be read (${why}).`, {
      cause,
    });
  }
}

function faultOf(principal: string, token: string): string | undefined {
  if (!PRINCIPAL.test(principal)) return 'expected name:token, the name of letters, digits and . _ @ -';
  if (token.length < LEAST_LENGTH) return `the token of ${principal} is shorter than ${LEAST_LENGTH} characters`;
  if (!TOKEN.test(token))
    return `the token of ${principal} holds characters other than letters, digits and . _ ~ + / - =`;
  return undefined;
}

function ownedByAnother(entries: readonly TokenEntry[], principal: string, token: string): string | undefined {
  const owner = entries.find((entry) => entry.token === token)?.principal;
  return owner === undefined || owner === principal
    ? undefined
    : `the token of ${principal} is that of ${owner} as well`;
}
