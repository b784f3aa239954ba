/** Publishes a contract's zod schemas as JSON Schema 2020-12. */
import { z } from 'zod';
import type { ToolContract } from '../core/tool.js';
import { withSharedDefinitions } from './shared-definitions.js';

/** The schema a client sees; both kinds say `additionalProperties: false` where unknown fields are refused. */
function publishedSchema(schema: z.ZodObject, io: 'input' | 'output'): { type: 'object'; [key: string]: unknown } {
  const strict = io === 'input' ? schema.strict() : schema;
  const whole = {
    ...z.toJSONSchema(strict, { target: 'draft-2020-12', io, override: withoutObvious }),
    type: 'object' as const,
  };
  // Arguments are for models to read, and hosts hand them to providers of which some know no references.
  return io === 'input' ? whole : withSharedDefinitions(whole);
}

/** Every whole number is said to be one that JavaScript can hold, which is a sixth of what a client has to read. */
function withoutObvious({ jsonSchema }: { readonly jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** One row of `tools/list`. */
export function publishedTool(
  contract: Pick<ToolContract, 'name' | 'title' | 'description' | 'input' | 'output' | 'annotations'>,
) {
  const { name, title, description, annotations } = contract;
  return {
    name,
    title,
    description,
    inputSchema: publishedSchema(contract.input, 'input'),
    outputSchema: publishedSchema(contract.output, 'output'),
    annotations: { title, ...annotations },
  };
}
