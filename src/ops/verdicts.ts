/** The forms of a doctor's verdict. */

/** One check: what was seen, how bad it is, and how to mend it. */
export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly seen: string;
  /** An exact command or setting; absent when there is nothing to mend. */
  readonly mend?: string;
}

/** Nothing to mend. */
export const ok = (check: string, seen: string): Check => ({ check, status: 'ok', seen });

/** Works, but not as it should. */
export const warn = (check: string, seen: string, mend: string): Check => ({ check, status: 'warn', seen, mend });

/** Jobs would not run, or could be lost. */
export const fail = (check: string, seen: string, mend: string): Check => ({ check, status: 'fail', seen, mend });

/** Whether a version such as `20.12.1` is not older than its oldest `[major, minor]`. */
export function isAtLeast(version: string, [oldestMajor, oldestMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** Bytes as whole mebibytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024).toLocaleString('en-US')} MiB`;
}
