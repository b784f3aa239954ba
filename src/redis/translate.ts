/** Translates what Redis and its clients throw into the product's errors, once, at the rim that knows them. */
import { AppError } from '../core/errors.js';
import { troubleOf } from './troubles.js';

/** The product's error for anything a Redis command rejected with; an `AppError` passes through. */
export function translateRedisError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && (error.name === 'ZodError' || error instanceof SyntaxError)) {
    return new AppError('internal', 'A stored record cannot be read; the server log has the details.', {
      cause: error,
    });
  }
  const { code, words } = troubleOf(error);
  const remedy = code === 'silent' ? REMEDY_IF_UNSURE : REMEDY;
  return new AppError('queue_unavailable', `The job queue is unavailable: ${words}. ${remedy}`, { cause: error });
}

const OPERATOR = 'if it stays, let the operator run `longhaul doctor`.';
const REMEDY = `Nothing was accepted; try again shortly, and ${OPERATOR}`;
/** Whoever did not answer may have done what it was asked. */
const REMEDY_IF_UNSURE = `Try again shortly (list_jobs tells what was accepted), and ${OPERATOR}`;

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
