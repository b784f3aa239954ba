/** Translates what Redis and its clients throw into the product's errors, once, at the rim that knows them. */
import { AppError } from '../core/errors.js';

/** What Redis says at the beginning of an error reply, and what that means. */
const SYMPTOMS: readonly (readonly [RegExp, string])[] = [
  [/^OOM /, 'Redis has no memory left'],
  [/^READONLY /, 'Redis takes no writes (a read-only replica)'],
  [/^MISCONF /, 'Redis takes no writes, since it cannot save them to its disk'],
  [/^LOADING /, 'Redis is still loading its data'],
  [/^(WRONGPASS|NOAUTH|NOPERM)/, 'Redis refuses the login'],
  [/^ERR DB index/, 'Redis has no database of the number in LONGHAUL_REDIS_URL'],
];

/** The product's error for anything a Redis command rejected with; an `AppError` passes through. */
export function translateRedisError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && (error.name === 'ZodError' || error instanceof SyntaxError)) {
    return new AppError('internal', 'A stored record cannot be read; the server log has the details.', {
      cause: error,
    });
  }
  return new AppError('queue_unavailable', `The job queue is unavailable: ${symptom(error)}. ${REMEDY}`, {
    cause: error,
  });
}

const REMEDY = 'Nothing was accepted; try again shortly, and if it stays, let the operator run `longhaul doctor`.';

function symptom(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return SYMPTOMS.find(([pattern]) => pattern.test(message))?.[1] ?? 'Redis cannot be reached';
}

/** Whether Redis itself said what is wrong; its client's words only tell that a command could not be sent. */
export function isTelling(error: Error | undefined): boolean {
  return SYMPTOMS.some(([pattern]) => pattern.test(error?.message ?? ''));
}

type Method = (...args: never[]) => Promise<unknown>;

/** Wraps every method of a port so that its rejections are the product's errors. All of the port's methods must be async. */
export function translating<Port extends object>(port: Port): Port {
  const wrap = (method: Method): Method => {
    return async (...args) => {
      try {
        return await method(...args);
      } catch (error) {
        throw translateRedisError(error);
      }
    };
  };
  const entries = Object.entries(port).map(([name, method]) => [name, wrap(method as Method)]);
  return Object.fromEntries(entries) as Port;
}
