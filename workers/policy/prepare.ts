/** Makes of what a handler asks what may leave this server: without secrets, within the limits, for the allowed models. */
import { asJson, type JsonValue } from '../../src/core/json.js';
import { type SamplingRequest, samplingParams } from '../../src/core/sampling.js';
import { estimateTokens, type SamplingLimits } from '../../src/core/sampling-limits.js';
import { hintsFor } from './models.js';

/** Replaces the secrets in a text; must come to the same in every run and process of an installation. */
export type Redact = (text: string) => Promise<string>;

/** A question ready to be put. */
export interface Prepared {
  /** What its handler asked, without secrets: what a later run must ask again. No setting changes it. */
  readonly asked: JsonValue;
  /** What the client gets, if that is not the same. */
  readonly sent?: JsonValue;
  /** Parts of names of the models whose answer counts; any, if absent. */
  readonly models?: readonly string[];
  /** Estimated size of the request. */
  readonly inputTokens?: number;
}

/** What a request is prepared by. */
export interface PrepareOptions {
  readonly limits: SamplingLimits;
  readonly redact: Redact;
  /** Whether the client takes tools. */
  readonly withTools: boolean;
}

/** Prepares a request to the client's model; throws a `RangeError` for tokens that are no number above 0. */
export async function prepareSampling(request: SamplingRequest, options: PrepareOptions): Promise<Prepared> {
  const { limits, redact, withTools } = options;
  if (!(request.maxTokens > 0))
    throw new RangeError(`a sampling request has maxTokens ${request.maxTokens}; expected a number above 0`);
  const { systemPrompt, ...rest } = request;
  const [messages, system] = await Promise.all([
    Promise.all(request.messages.map(async (message) => ({ ...message, text: await redact(message.text) }))),
    systemPrompt === undefined ? undefined : redact(systemPrompt),
  ]);
  const cleaned = { ...rest, messages, ...(system !== undefined && { systemPrompt: system }) };
  const models = limits.allowedModels;
  const maxTokens = Math.max(1, Math.floor(Math.min(request.maxTokens, limits.requestOutputTokens)));
  const hints = models.length > 0 ? { modelHints: hintsFor(request.modelHints ?? [], models) } : {};
  const asked = asJson(samplingParams(cleaned, withTools));
  const sent = asJson(samplingParams({ ...cleaned, ...hints, maxTokens }, withTools));
  const offered = withTools && request.tools ? JSON.stringify(request.tools) : '';
  const texts = [system ?? '', offered, ...messages.map(({ text }) => text)];
  const inputTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return { asked, sent, inputTokens, ...(models.length > 0 && { models }) };
}

/** Prepares a form: its message, and the words around its fields. Values that come back, such as of an enum, stay as they are. */
export async function prepareForm(params: Readonly<Record<string, unknown>>, redact: Redact): Promise<Prepared> {
  return { asked: await redactWords(asJson(params), redact) };
}

/** Texts of a form that are read, not sent back; a default is both, and better lost than told. */
const WORDS = new Set(['message', 'title', 'description', 'default']);

async function redactWords(value: JsonValue, redact: Redact, name = ''): Promise<JsonValue> {
  if (typeof value === 'string') return WORDS.has(name) ? redact(value) : value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => redactWords(item, redact)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(async ([key, inner]) => [key, await redactWords(inner, redact, key)]);
  return Object.fromEntries(await Promise.all(entries));
}
