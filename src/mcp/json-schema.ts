/** Publishes a contract's zod schemas as JSON Schema 2020-12. */
import { z } from 'zod';
import type { ToolContract } from '../core/tool.js';

/** The schema a client sees; both kinds say `additionalProperties: false` where unknown fields are refused. */
function publishedSchema(schema: z.ZodObject, io: 'input' | 'output'): { type: 'object'; [key: string]: unknown } {
  const strict = io === 'input' ? schema.strict() : schema;
  return { ...z.toJSONSchema(strict, { target: 'draft-2020-12', io }), type: 'object' };
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
