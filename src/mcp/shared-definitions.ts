/** Says equal parts of a JSON Schema once, under `$defs`: a result whose parts are alike is half as long to describe. */

/** A schema or a part of one. */
export type SchemaNode = { readonly [keyword: string]: unknown };

/** Below this many characters of JSON a reference saves nothing worth the detour. */
const LEAST_LENGTH = 50;

/** The same schema with what occurs in several places moved to `$defs`; a schema that has `$defs` already stays as it is. */
export function withSharedDefinitions<Schema extends SchemaNode>(schema: Schema): Schema {
  if ('$defs' in schema) return schema;
  const places = placesIn(schema);
  const names = new Map<string, string>();
  const definitions: Record<string, SchemaNode> = {};
  const rewrite = (node: SchemaNode): SchemaNode => mapParts(node, (part, key) => refer(part, key));
  const refer = (part: SchemaNode, key: string): SchemaNode => {
    const text = JSON.stringify(part);
    if (text.length < LEAST_LENGTH || (places.get(text)?.size ?? 0) < 2) return rewrite(part);
    const name = names.get(text) ?? nameFor(key, definitions);
    if (!names.has(text)) {
      names.set(text, name);
      definitions[name] = part;
      definitions[name] = rewrite(part);
    }
    return { $ref: `#/$defs/${name}` };
  };
  const shared = rewrite(schema);
  // As `Schema` as before: only what its parts say is said elsewhere.
  return names.size === 0 ? schema : ({ ...shared, $defs: definitions } as unknown as Schema);
}

/** In which parts each part occurs: one that only comes with its parent is not worth a name of its own. */
function placesIn(schema: SchemaNode): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>();
  const visit = (node: SchemaNode): void => {
    const parent = JSON.stringify(node);
    mapParts(node, (part, key) => {
      const text = JSON.stringify(part);
      const found = places.get(text) ?? new Set();
      places.set(text, found.add(`${key} ${parent}`));
      visit(part);
      return part;
    });
  };
  visit(schema);
  return places;
}

type Change = (part: SchemaNode, key: string) => SchemaNode;

const ONE = ['items', 'additionalProperties', 'propertyNames'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** A schema with each of the schemas in it changed; `key` is the property it describes, or the keyword it stands under. */
function mapParts(node: SchemaNode, change: Change): SchemaNode {
  const entries = Object.entries(node).map(([keyword, value]) => {
    if (keyword === 'properties') return [keyword, mapValues(value, change)];
    if (ONE.includes(keyword) && isNode(value)) return [keyword, change(value, keyword)];
    if (!LISTS.includes(keyword) || !Array.isArray(value)) return [keyword, value];
    return [keyword, value.map((part: unknown) => (isNode(part) ? change(part, keyword) : part))];
  });
  return Object.fromEntries(entries);
}

function mapValues(properties: unknown, change: Change): unknown {
  if (!isNode(properties)) return properties;
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([name, part]) => [name, isNode(part) ? change(part, name) : part]));
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameFor(key: string, taken: Readonly<Record<string, unknown>>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? key : `${key}_${number}`;
    if (!Object.hasOwn(taken, name)) return name;
  }
}
