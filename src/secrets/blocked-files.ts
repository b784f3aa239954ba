/** Knows files that must not be sent at all, by name and by what was found in them. */
import type { Span } from './span.js';

interface BlockedName {
  readonly pattern: RegExp;
  readonly reason: string;
}

/** By name alone, whatever they hold; the last part of the path is matched unless the pattern has a slash. */
const BLOCKED_NAMES: readonly BlockedName[] = [
  { pattern: /^\.env/i, reason: 'is an environment file' },
  { pattern: /\.env$/i, reason: 'is an environment file' },
  { pattern: /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!.*\.pub$)/i, reason: 'is a private SSH key by its name' },
  { pattern: /^ssh_host_.*_key$/i, reason: 'is a private SSH key by its name' },
  { pattern: /\.(?:key|p8|ppk|agekey)$/i, reason: 'is a private key by its name' },
  { pattern: /\.(?:p12|pfx|jks|keystore|bks|kdbx?|keychain)$/i, reason: 'is a key store' },
  {
    pattern: /^(?:\.netrc|_netrc|\.pgpass|\.git-credentials|\.htpasswd|\.dockercfg)$/i,
    reason: 'is a file of passwords',
  },
  {
    pattern: /(?:^|\/)(?:\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.gnupg\/.*)$/i,
    reason: 'is a file of credentials',
  },
];

/** Kinds that are the point of the file they stand in. */
const PRIVATE_KEY = /private_key$/;
/** Files whose purpose is to hold what they authenticate with. */
const CREDENTIALS = /^\.(?:npmrc|pypirc|yarnrc|yarnrc\.yml)$/i;
const SERVICE_ACCOUNT = /"type"\s{0,8}:\s{0,8}"service_account"/;

/** Why the file must not be sent, as words that follow its name; undefined if it may be, redacted. */
export function blockReason(text: string, spans: readonly Span[], path?: string): string | undefined {
  const byName = path === undefined ? undefined : reasonOfName(path);
  if (byName !== undefined) return byName;
  if (SERVICE_ACCOUNT.test(text) && /"private_key/.test(text)) return 'holds a service account';
  if (spans.some(({ kind }) => PRIVATE_KEY.test(kind))) return 'holds a private key';
  const name = path?.split(/[/\\]/).at(-1) ?? '';
  return spans.length > 0 && CREDENTIALS.test(name) ? 'is a file of credentials' : undefined;
}

/** Why a file of this name must not be sent, whatever it holds; undefined if it may be. */
export function reasonOfName(path: string): string | undefined {
  const plain = path.replaceAll('\\', '/');
  const name = plain.slice(plain.lastIndexOf('/') + 1);
  return BLOCKED_NAMES.find(({ pattern }) => pattern.test(pattern.source.includes('\\/') ? plain : name))?.reason;
}
