/** How work that the client's model does can end, so that want of an answer never reads as a good one. */

/**
 * `complete` is the only status that nothing is missing under; `partial` lacks a part, `truncated` was cut off by the
 * token limit, `unparseable` was answered but not in a form that can be used, `refused` by user or model, `failed` by a
 * client that answered with an error, or with what may not be taken for an answer, `unavailable` means that the client offers no model, `exhausted` that a limit of this server left no room to ask it.
 */
export const MODEL_WORK_STATUSES = [
  'complete',
  'partial',
  'truncated',
  'unparseable',
  'refused',
  'failed',
  'timed_out',
  'client_gone',
  'unavailable',
  'exhausted',
] as const;

/** See `MODEL_WORK_STATUSES`. */
export type ModelWorkStatus = (typeof MODEL_WORK_STATUSES)[number];
