/** Knows which values of the environment are secrets, so that they can be kept out of what is written. */

const SECRET_NAME = /(^|_)(API_?KEY|KEY|TOKEN|PAT|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(_|$)/i;
/** Several pairs `name:token`, as our own setting of tokens. */
const PAIRS_NAME = /_TOKENS$/i;
/** Several pairs `name=value`, as OpenTelemetry's variables of headers; the scheme before a token is none. */
const HEADERS_NAME = /_HEADERS$/i;
const SCHEME = /^(?:bearer|basic|apikey) +/i;
const PASSWORD_IN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i;
/** Shorter values, such as `1` or `true`, would mask half of everything. */
const LEAST_LENGTH = 6;

/** The values of variables named like secrets, and the passwords of URLs; the longest first. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const found = Object.entries(env).flatMap(([name, value = '']) => {
    const [, password] = PASSWORD_IN_URL.exec(value) ?? [];
    const pairs = PAIRS_NAME.test(name) ? value.split(',').flatMap((pair) => pair.trim().split(':')[1] ?? []) : [];
    const headers = HEADERS_NAME.test(name) ? value.split(',').map(headerValue) : [];
    return [
      ...pairs,
      ...headers,
      ...(SECRET_NAME.test(name) ? [value] : []),
      ...(password === undefined ? [] : [password]),
    ];
  });
  return found.filter((value) => value.length >= LEAST_LENGTH).sort((a, b) => b.length - a.length);
}

/** As the variable has it, where blanks may be written as in a URL. */
function headerValue(pair: string): string {
  const value = pair.slice(pair.indexOf('=') + 1).trim();
  return value.replace(/%20/g, ' ').replace(SCHEME, '');
}
