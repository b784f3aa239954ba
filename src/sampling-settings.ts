/** The settings of what answers of models may cost. */
import { DEFAULT_SAMPLING_LIMITS, type SamplingLimits } from './core/sampling-limits.js';
import { list, wholeNumber } from './setting-forms.js';

/** Rows of the settings table, as in `SETTINGS`. */
export const SAMPLING_SETTINGS = {
  LONGHAUL_ALLOWED_MODELS: {
    schema: list(','),
    fallback: '',
    meaning: 'Parts of names of the models that may answer, separated by commas; any unless set.',
  },
  LONGHAUL_REQUEST_OUTPUT_TOKENS: {
    schema: wholeNumber(1, 1_000_000),
    fallback: String(DEFAULT_SAMPLING_LIMITS.requestOutputTokens),
    meaning: 'Output tokens of one request to a model; more are not asked for.',
  },
  LONGHAUL_REQUEST_INPUT_TOKENS: {
    schema: wholeNumber(1, 10_000_000),
    fallback: String(DEFAULT_SAMPLING_LIMITS.requestInputTokens),
    meaning: 'Input tokens of one request to a model, estimated.',
  },
  LONGHAUL_JOB_OUTPUT_TOKENS: {
    schema: wholeNumber(1, 1_000_000_000),
    fallback: String(DEFAULT_SAMPLING_LIMITS.jobOutputTokens),
    meaning: 'Output tokens of all answers to one job, estimated.',
  },
  LONGHAUL_SESSION_OUTPUT_TOKENS: {
    schema: wholeNumber(1, 1_000_000_000),
    fallback: String(DEFAULT_SAMPLING_LIMITS.sessionOutputTokens),
    meaning: 'Output tokens of all answers in one session, estimated.',
  },
} as const;

/** Tells the value of each of these settings. */
interface SamplingValue {
  (name: 'LONGHAUL_ALLOWED_MODELS'): string[];
  (name: Exclude<keyof typeof SAMPLING_SETTINGS, 'LONGHAUL_ALLOWED_MODELS'>): number;
}

/** Gathers the limits from the settings. */
export function samplingLimits(value: SamplingValue): SamplingLimits {
  return {
    requestOutputTokens: value('LONGHAUL_REQUEST_OUTPUT_TOKENS'),
    requestInputTokens: value('LONGHAUL_REQUEST_INPUT_TOKENS'),
    jobOutputTokens: value('LONGHAUL_JOB_OUTPUT_TOKENS'),
    sessionOutputTokens: value('LONGHAUL_SESSION_OUTPUT_TOKENS'),
    allowedModels: value('LONGHAUL_ALLOWED_MODELS'),
  };
}
