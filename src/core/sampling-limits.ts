/** How much a job may ask of its client's model, and the estimate of tokens by which that is measured. */

/** The limits of an installation; tokens are estimates of `estimateTokens`. */
export interface SamplingLimits {
  /** Output tokens one request may ask for; one that asks for more is cut down to it. */
  readonly requestOutputTokens: number;
  /** Input tokens one request may bring. */
  readonly requestInputTokens: number;
  /** Output tokens of one job's answers. */
  readonly jobOutputTokens: number;
  /** Output tokens of all answers in one session of a client. */
  readonly sessionOutputTokens: number;
  /** Parts of names of the models that may answer; empty for any. */
  readonly allowedModels: readonly string[];
}

/** The limits of an installation that sets none. */
export const DEFAULT_SAMPLING_LIMITS: SamplingLimits = {
  requestOutputTokens: 4_096,
  requestInputTokens: 100_000,
  jobOutputTokens: 32_768,
  sessionOutputTokens: 32_768,
  allowedModels: [],
};

/** Rounds that a tool which asks again and again takes at most, unless its design says otherwise. */
export const TOOL_ROUNDS = 5;

/**
 * Bytes of UTF-8 that count as one token. No client says what its model counted, and four is the usual figure for English
 * prose; dense code has about three, and a character of three bytes, as in Chinese, is about one token.
 */
export const BYTES_PER_TOKEN = 4;

/** Estimates the tokens of a text, rounded up. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
