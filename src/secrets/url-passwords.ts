/** Finds passwords within URLs: `scheme://user:password@host`. */
import { isPlaceholder } from './placeholder-values.js';
import type { Span } from './span.js';

/** Scheme and user; the user ends at the colon before the password. */
const BEFORE_PASSWORD = /([A-Za-z][A-Za-z0-9+.-]{1,30}):\/\/([^\s:@/?#"'`<>\\]{0,100}):(?=[^\s/])/g;
/** What may follow the user in one stretch; a quote, a blank or a bracket ends the URL. */
const REST = /[^\s"'`<>\\]{0,400}/y;
const DATABASES =
  /^(?:jdbc|postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|valkey|amqp|amqps|mssql|sqlserver|oracle|clickhouse|cockroachdb|cassandra|neo4j|bolt|couchbase|ldap|ldaps|nats|kafka|influxdb|snowflake)\b/i;

/** Finds the passwords; a user's own name as the password, as local set-ups have it, is none. */
export function findUrlPasswords(text: string): Span[] {
  if (!text.includes('://')) return [];
  return [...text.matchAll(BEFORE_PASSWORD)].flatMap((match) => {
    const [before, scheme = '', user = ''] = match;
    const start = match.index + before.length;
    REST.lastIndex = start;
    const password = passwordIn(REST.exec(text)?.[0] ?? '');
    if (password === undefined || password === user || isPlaceholder(password)) return [];
    const kind = DATABASES.test(scheme) ? 'database_password' : 'url_password';
    return [{ start, end: start + password.length, kind }];
  });
}

/** What stands before the `@` of the host. A password with a slash in it is not encoded as it should be, and found all the same. */
function passwordIn(rest: string): string | undefined {
  const first = rest.indexOf('@');
  if (first <= 0) return undefined;
  const path = rest.search(/[/?#]/);
  if (path !== -1 && path < first) return /^\d{1,5}$/.test(rest.slice(0, path)) ? undefined : rest.slice(0, first);
  const host = path === -1 ? rest : rest.slice(0, path);
  return host.slice(0, lastAt(host));
}

/** The last `@` before the host, unless what lies between two is text of another kind, such as the next URL of a list. */
function lastAt(host: string): number {
  const end = host.search(/[,;)\]}|]/);
  const at = host.slice(0, end === -1 || end < host.indexOf('@') ? undefined : end).lastIndexOf('@');
  return at;
}
