/** The error catalogue, and what of an error a client may see. */
import { describe, expect, it } from 'vitest';
import { AppError, ERROR_KINDS, type ErrorCode, isErrorCode, reportOf } from '../../src/core/errors.js';

const CODES = Object.keys(ERROR_KINDS) as ErrorCode[];

describe('the catalogue', () => {
  it.each(CODES)('%s has a snake-case name and a meaning that is one sentence for a table', (code) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(ERROR_KINDS[code].meaning).toMatch(/^[A-Z].*\.$/);
    expect(ERROR_KINDS[code].meaning).not.toContain('|');
  });

  it('no two codes mean the same', () => {
    const meanings = CODES.map((code) => ERROR_KINDS[code].meaning);
    expect(new Set(meanings).size).toBe(CODES.length);
  });

  it('only those that speak of something lost, out of reach, taken, full or not staffed promise that a repeat may help', () => {
    expect(CODES.filter((code) => ERROR_KINDS[code].retryable)).toEqual([
      'folder_taken',
      'overloaded',
      'queue_unavailable',
      'redis_unavailable',
      'no_worker',
      'server_unreachable',
      'call_lost',
    ]);
  });

  it('knows its codes, and no property that every object has', () => {
    for (const code of CODES) expect(isErrorCode(code)).toBe(true);
    for (const other of ['toString', '__proto__', 'constructor', '', 'CANCELLED', undefined, 7]) {
      expect(isErrorCode(other)).toBe(false);
    }
  });
});

describe('an error of the product', () => {
  it('takes its retryability from its code unless told otherwise', () => {
    expect(new AppError('queue_unavailable', 'away').retryable).toBe(true);
    expect(new AppError('cancelled', 'no').retryable).toBe(false);
    expect(new AppError('handler_failed', 'busy', { retryable: true }).retryable).toBe(true);
  });

  it('keeps its cause and details, and has none where none were given', () => {
    const cause = new Error('why');
    expect(new AppError('internal', 'x', { cause, details: { a: 1 } })).toMatchObject({ cause, details: { a: 1 } });
    expect(Object.hasOwn(new AppError('internal', 'x'), 'cause')).toBe(false);
  });
});

describe('the report of an error', () => {
  it('of ours holds code, message and retryability, and nothing of its cause', () => {
    const cause = new Error('password is 1234');
    expect(reportOf(new AppError('timed_out', 'too long', { cause, retryable: true }))).toEqual({
      code: 'timed_out',
      message: 'too long',
      retryable: true,
    });
  });

  it.each([new Error('password is 1234'), 'password is 1234', null, undefined, { code: 'cancelled' }])(
    'of anything else (%s) is handler_failed and shows nothing of it',
    (thrown) => {
      const report = reportOf(thrown);
      expect(report).toMatchObject({ code: 'handler_failed', retryable: false });
      expect(report.message).not.toContain('1234');
    },
  );
});
