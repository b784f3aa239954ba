/** What `generate_tests` makes of a model's answers: a whole test file, or a result that says it is none. */
import { describe, expect, it } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import { generateTests } from '../../src/tools/generate-tests.js';
import { runGenerateTests } from '../../workers/handlers/generate-tests.js';
import { modelSays, scriptContext } from '../support/scripted-context.js';

const TEST_FILE = `it('adds', () => expect(add(1, 2)).toBe(3));\n`;
const GOOD = { test_code: TEST_FILE, framework: 'jest', language: 'JavaScript', notes: ['no test of overflow'] };

type Replies = Parameters<typeof scriptContext>[0];

/** The same reply to the question, to its repairs and to the question for a shorter file. */
const KEYS = ['tests', 'tests:shorter'].flatMap((key) => [key, `${key}:repair1`, `${key}:repair2`]);

async function generate(
  reply: Replies[string],
  args: object = {},
  jobId: string = newJobId(),
  shorter?: Replies[string],
) {
  const replies = {
    ...Object.fromEntries(KEYS.map((key) => [key, reply])),
    ...(shorter && { 'tests:shorter': shorter }),
  };
  const { context, requests } = scriptContext(replies, jobId);
  const input = generateTests.input.parse({ code: 'export const add = (a, b) => a + b;', ...args });
  const result = generateTests.output.parse(await runGenerateTests(input, context));
  const prompt =
    requests
      .get('tests')
      ?.messages.map(({ text }) => text)
      .join('\n') ?? '';
  return { result, prompt, requests, text: generateTests.render(result, input) };
}

describe('generated tests', () => {
  it('come with their framework and what they leave out', async () => {
    const { result, text } = await generate(modelSays(GOOD));
    expect(result).toMatchObject({ status: 'complete', complete: true, ...GOOD, model: 'test-model' });
    expect(text).toBe(`# Tests: a test file for jest\n\n\`\`\`\n${TEST_FILE}\`\`\`\n\n- no test of overflow`);
  });

  it('are asked for in the framework and language the caller named', async () => {
    const { result, prompt } = await generate(modelSays({ test_code: TEST_FILE }), {
      framework: 'vitest',
      language: 'TypeScript',
    });
    expect(prompt).toContain('Write tests for the TypeScript code below with vitest.');
    expect(result).toMatchObject({ framework: 'vitest', language: 'TypeScript' });
  });

  it('of a model that was cut off are told as incomplete', async () => {
    const { result, text } = await generate(modelSays(GOOD, 'maxTokens'));
    expect(result).toMatchObject({ status: 'truncated', complete: false, test_code: TEST_FILE });
    expect(text).toContain('INCOMPLETE');
  });

  it('of a model that was cut off are asked for once more, shorter', async () => {
    const shorter = modelSays({ test_code: 'it();' });
    const { result, requests } = await generate(
      modelSays('{"test_code": "a\\nb', 'maxTokens'),
      {},
      newJobId(),
      shorter,
    );
    expect([...requests.keys()]).toEqual(['tests', 'tests:shorter']);
    expect(requests.get('tests:shorter')?.messages[0]?.text).toContain('in half the length');
    expect(result).toMatchObject({ status: 'complete', test_code: 'it();' });
  });

  it('that break off are told with their whole lines, as incomplete', async () => {
    const { result, text } = await generate(modelSays('{"test_code": "one(\\"1\\");\\ntwo();\\nthr', 'maxTokens'));
    expect(result).toMatchObject({ status: 'truncated', complete: false, test_code: 'one("1");\ntwo();\n' });
    expect(text).toContain('INCOMPLETE (truncated)');
  });

  it('are asked for alike each time the job runs', async () => {
    const jobId = newJobId();
    const [first, again] = [await generate(modelSays(GOOD), {}, jobId), await generate(modelSays(GOOD), {}, jobId)];
    expect(again.prompt).toBe(first.prompt);
    expect(first.prompt).toMatch(/<<<CODE [0-9a-f]{32}\nexport const add/);
  });
});

describe('an answer that is no test file', () => {
  it.each([
    ['unavailable', { kind: 'unsupported', missing: 'sampling' }, 'does not offer sampling'],
    ['refused', { kind: 'refused', message: 'no' }, 'refused: no'],
    ['timed_out', { kind: 'timed_out' }, 'in time'],
    ['truncated', modelSays('{"test_code": "it(', 'maxTokens'), 'cut off'],
    ['unparseable', modelSays('```js\nit()\n```'), 'not the JSON'],
    ['unparseable', modelSays({ test_code: ' ' }), 'test_code: is blank'],
  ] as const)('is told as %s: %#', async (status, reply, note) => {
    const { result, text } = await generate(reply);
    expect(result).toMatchObject({ status, complete: false, summary: `NOT WRITTEN (${status})` });
    expect(result).not.toHaveProperty('test_code');
    expect(text).toContain(note);
    expect(result.prompt !== undefined).toBe(status === 'unavailable');
  });
});
