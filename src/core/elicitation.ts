/** Elicitation forms: flat objects of primitives, published to the client and checked again when they come back. */
import { z } from 'zod';

/** The fields of a form, by name. */
export type FormFields = z.ZodObject;

/** What a filled-in form holds. */
export type FormValue<Fields extends FormFields> = z.output<Fields>;

/** A form put to the user. */
export interface ElicitationRequest<Fields extends z.ZodObject = z.ZodObject> {
  readonly message: string;
  /** Flat: strings, numbers, booleans and enums only. Never asks for secrets (specification, Elicitation, Form Mode Security). */
  readonly fields: Fields;
}

const ALLOWED_TYPES = ['string', 'number', 'integer', 'boolean'];

/** A choice of one value whose options carry titles, such as `choices({ dev: 'Development', prod: 'Production' })`. */
export function choices<const Value extends string>(titles: Readonly<Record<Value, string>>) {
  // Object.keys forgets the type of the keys it is given.
  const values = Object.keys(titles) as Value[];
  const oneOf = Object.entries(titles).map(([value, title]) => ({ const: value, title }));
  // Metadata is published with the schema: MCP's titled enum is a `oneOf` (2025-11-25, Elicitation, Requested Schema).
  return z.enum(values).meta({ oneOf });
}

/** The wire parameters of `elicitation/create`; throws if a field is more than a primitive. */
export function elicitationParams(request: ElicitationRequest): Record<string, unknown> {
  const { properties = {}, required } = z.toJSONSchema(request.fields, { target: 'draft-2020-12', io: 'input' });
  for (const [name, schema] of Object.entries(properties)) {
    const type = typeof schema === 'object' ? schema.type : undefined;
    if (typeof type !== 'string' || !ALLOWED_TYPES.includes(type)) {
      throw new Error(`field ${name} of a form must be a string, number, boolean, enum or choices()`);
    }
  }
  return {
    mode: 'form',
    message: request.message,
    requestedSchema: { type: 'object', properties: publicProperties(properties), ...(required && { required }) },
  };
}

/** Only the keywords MCP allows in a form; zod adds bounds of whole numbers that no client needs. */
function publicProperties(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { pattern: _, ...rest } = Object(schema);
      const { minimum, maximum, oneOf } = rest;
      if (oneOf !== undefined) delete rest.enum;
      if (minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
      if (maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
      return [name, rest];
    }),
  );
}

const answerSchema = z.looseObject({ content: z.unknown() });

/** What a user sent for a form (the whole `ElicitResult`), or what is wrong with it. */
export function readForm<Fields extends FormFields>(
  fields: Fields,
  answer: unknown,
): { readonly ok: true; readonly value: FormValue<Fields> } | { readonly ok: false; readonly fault: string } {
  const parsed = fields.strict().safeParse(answerSchema.safeParse(answer).data?.content ?? {});
  if (parsed.success) return { ok: true, value: parsed.data as FormValue<Fields> };
  const faults = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.') || 'form'}: ${issue.message}`);
  return { ok: false, fault: faults.join('; ') };
}
