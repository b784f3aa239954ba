/** What is said once in a published schema says the same as before, and what clients have to read stays bounded. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FRONT_END_TOOLS } from '../../src/mcp/front-end-tools.js';
import { publishedTool } from '../../src/mcp/json-schema.js';
import { type SchemaNode, withSharedDefinitions } from '../../src/mcp/shared-definitions.js';
import { BUILT_IN_CONTRACTS } from '../../src/tools/built-in.js';

const PREFIX = '#/$defs/';
/** Bytes of JSON that all tools together may come to. */
const LIST_BYTES = 82_000;

/** The schema with every reference replaced by what it means. */
function resolved(schema: SchemaNode): unknown {
  const definitions = (schema.$defs ?? {}) as Readonly<Record<string, unknown>>;
  const at = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(at);
    if (typeof node !== 'object' || node === null) return node;
    const ref = '$ref' in node ? String(node.$ref) : undefined;
    if (ref !== undefined) return at(definitions[ref.slice(PREFIX.length)]);
    return Object.fromEntries(
      Object.entries(node).flatMap(([key, value]) => (key === '$defs' ? [] : [[key, at(value)]])),
    );
  };
  return at(schema);
}

const contracts = [...BUILT_IN_CONTRACTS, ...[...FRONT_END_TOOLS.values()].map(({ contract }) => contract)];

describe('the result schema', () => {
  it.each(contracts.map((contract) => [contract.name, contract] as const))(
    'of %s means what its contract says, once its references are followed',
    (_name, contract) => {
      const { $schema, ...plain } = z.toJSONSchema(contract.output, { target: 'draft-2020-12', io: 'output' });
      const withoutBounds = JSON.stringify(plain, (_key, value) =>
        value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER ? undefined : value,
      );
      const { $schema: _dialect, ...published } = resolved(publishedTool(contract).outputSchema) as SchemaNode;
      expect(published).toEqual(JSON.parse(withoutBounds));
    },
  );

  it('refuses inside a part that is shared what it refused before', () => {
    const place = { type: 'object', properties: { path: { type: 'string' }, line: { type: 'integer', minimum: 1 } } };
    const list = { type: 'array', items: { ...place, required: ['path'] } };
    const schema = {
      type: 'object',
      properties: { first: list, last: list, places: { anyOf: [list, { type: 'null' }] } },
    };
    const shared = withSharedDefinitions(schema);
    expect(Object.keys(shared)).toEqual(['type', 'properties', '$defs']);
    const fits = new Ajv2020({ strict: true }).compile(shared);
    expect(fits({ first: [{ path: 'a', line: 1 }], places: null })).toBe(true);
    for (const wrong of [{ first: [{ line: 1 }] }, { last: [{ path: 'a', line: 0 }] }, { places: [{ path: 1 }] }]) {
      expect(fits(wrong)).toBe(false);
    }
  });

  it('of parts that occur once stays as it is', () => {
    const schema = { type: 'object', properties: { one: { type: 'string', description: 'x'.repeat(100) } } };
    expect(withSharedDefinitions(schema)).toBe(schema);
  });
});

it(`the list of all tools is at most ${LIST_BYTES} bytes`, () => {
  expect(JSON.stringify({ tools: contracts.map(publishedTool) }).length).toBeLessThan(LIST_BYTES);
});
