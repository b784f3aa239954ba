/** Sampling: what a handler asks of the client's model, and what it gets whatever shape the client answered in. */
import { z } from 'zod';
import { estimateTokens } from './sampling-limits.js';

/** A message of the conversation put to the model. */
export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** A tool offered to the model; only sent to clients that declared `sampling.tools`. */
export interface SamplingTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
}

/** A request to the client's model. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly systemPrompt?: string;
  /** Output tokens at most. */
  readonly maxTokens: number;
  readonly temperature?: number;
  /** Names or parts of names of models to prefer, best first. */
  readonly modelHints?: readonly string[];
  readonly tools?: readonly SamplingTool[];
}

/** The model's answer. */
export interface SamplingAnswer {
  /** All text blocks in order, joined by blank lines; empty if there was none. */
  readonly text: string;
  /** Calls of offered tools, in order. */
  readonly toolCalls: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
  readonly model?: string;
  readonly stopReason?: string;
  /** Whether the model was cut off by the token limit. */
  readonly truncated: boolean;
}

const block = z.looseObject({ type: z.string() });
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).default({}),
});

// Loose on purpose: clients send arrays and single blocks, thinking blocks, and leave out the model.
const answerSchema = z.looseObject({
  content: z.union([block, z.array(block)]),
  model: z.string().optional().catch(undefined),
  stopReason: z.string().optional().catch(undefined),
});

/** The wire parameters of `sampling/createMessage`; `includeContext` is never sent. */
export function samplingParams(request: SamplingRequest, withTools: boolean): Record<string, unknown> {
  const { messages, systemPrompt, maxTokens, temperature, modelHints, tools } = request;
  return {
    messages: messages.map(({ role, text }) => ({ role, content: { type: 'text', text } })),
    maxTokens,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(modelHints && { modelPreferences: { hints: modelHints.map((name) => ({ name })) } }),
    ...(withTools && tools && { tools, toolChoice: { mode: 'auto' } }),
  };
}

/**
 * Reads an answer of any shape; undefined if it has no content at all. Blocks of unknown kinds are passed over, and so are
 * calls of tools other than those `offered` by name: nobody asked for them.
 */
export function readSamplingAnswer(raw: unknown, offered: readonly string[]): SamplingAnswer | undefined {
  const parsed = answerSchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const { content, model, stopReason } = parsed.data;
  const blocks = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((candidate) => textBlock.safeParse(candidate).data?.text ?? []);
  const toolCalls = blocks.flatMap((candidate) => {
    const call = toolUseBlock.safeParse(candidate).data;
    return call && offered.includes(call.name) ? [{ name: call.name, input: call.input }] : [];
  });
  return {
    text: texts.join('\n\n'),
    toolCalls,
    ...(model !== undefined && { model }),
    ...(stopReason !== undefined && { stopReason }),
    truncated: stopReason === 'maxTokens',
  };
}

/** Estimates the output tokens of an answer of any shape, by all of its content: what is not text by its JSON. */
export function answerTokens(raw: unknown): number {
  const parsed = answerSchema.safeParse(raw);
  const blocks = parsed.success ? [parsed.data.content].flat() : [raw];
  return blocks.reduce<number>((sum, candidate) => {
    const text = textBlock.safeParse(candidate).data?.text ?? JSON.stringify(candidate) ?? '';
    return sum + estimateTokens(text);
  }, 0);
}
