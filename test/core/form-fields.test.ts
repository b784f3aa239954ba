/** The fields of a form as a client is shown them, and as they come back. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { choices, elicitationParams, readForm } from '../../src/core/elicitation.js';

const env = choices({ dev: 'Development', prod: 'Production' });
const published = (fields: z.ZodObject) => elicitationParams({ message: 'Which?', fields });
const TITLED = [
  { const: 'dev', title: 'Development' },
  { const: 'prod', title: 'Production' },
];

describe('a choice with titles', () => {
  it('is published as the titled enum of the protocol', () => {
    expect(published(z.object({ env }))).toEqual({
      mode: 'form',
      message: 'Which?',
      requestedSchema: { type: 'object', properties: { env: { type: 'string', oneOf: TITLED } }, required: ['env'] },
    });
  });

  it('keeps its titles beside a default, a name and a description', () => {
    const fields = z.object({ env: env.default('dev').meta({ title: 'Environment', description: 'Where' }) });
    expect(published(fields)).toMatchObject({
      requestedSchema: {
        properties: {
          env: { type: 'string', oneOf: TITLED, default: 'dev', title: 'Environment', description: 'Where' },
        },
      },
    });
  });

  it('takes its own values and no other', () => {
    expect(readForm(z.object({ env }), { content: { env: 'prod' } })).toEqual({ ok: true, value: { env: 'prod' } });
    expect(readForm(z.object({ env }), { content: { env: 'Production' } })).toMatchObject({ ok: false });
  });
});

describe('a field with a default', () => {
  const fields = z.object({ port: z.int().min(1).max(65_535).default(5432), host: z.string().min(1) });

  it('is published with it and is not required', () => {
    expect(published(fields)).toMatchObject({
      requestedSchema: {
        properties: { port: { type: 'integer', minimum: 1, maximum: 65_535, default: 5432 } },
        required: ['host'],
      },
    });
  });

  it('has it when the user left the field out', () => {
    expect(readForm(fields, { content: { host: 'db' } })).toEqual({ ok: true, value: { host: 'db', port: 5432 } });
  });

  it.each([0, 65_536, 1.5, '5432'])('refuses %j', (port) => {
    expect(readForm(fields, { content: { host: 'db', port } })).toMatchObject({
      ok: false,
      fault: expect.stringMatching(/^port: /),
    });
  });
});

it('a field that is no primitive is refused with what is allowed', () => {
  expect(() => published(z.object({ tags: z.array(z.string()) }))).toThrow(
    'field tags of a form must be a string, number, boolean, enum or choices()',
  );
});
