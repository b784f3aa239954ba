/** What the tools that use the client's model share: arguments that cannot pass for instructions, and fences that hold. */
import { describe, expect, it } from 'vitest';
import { BUILT_IN_CONTRACTS } from '../../src/tools/built-in.js';
import { closingText, codeInput, fenced, nameInput } from '../../src/tools/model-work.js';

describe('a name that goes into a prompt', () => {
  it.each(['C', 'C++', 'C#', 'Objective-C', 'TypeScript (React)', 'ASP.NET', '1С:Предприятие'])('may be %s', (name) => {
    expect(nameInput.safeParse(name).success).toBe(true);
  });

  it.each(['', ' ', 'a\nb', 'a\rb', 'a\u2028b', 'a\0b', 'a\u001b[2J', 'x'.repeat(61)])('may not be %j', (name) => {
    expect(nameInput.safeParse(name).success).toBe(false);
  });
});

it('code may hold anything, but must be there', () => {
  for (const code of ['x', '\0', '\ud800', '```\n<<<CODE']) expect(codeInput.safeParse(code).success).toBe(true);
  for (const code of ['', ' \n\t']) expect(codeInput.safeParse(code).success).toBe(false);
});

it.each(BUILT_IN_CONTRACTS.map((contract) => [contract.name, contract] as const))(
  '%s takes a key, so that a call which may have been lost can be made again',
  (_name, { input }) => {
    const key = input.shape.idempotency_key;
    expect(key?.safeParse('k').success).toBe(true);
    expect(key?.safeParse(undefined).success).toBe(true);
    for (const bad of ['', 'x'.repeat(201), 7]) expect(key?.safeParse(bad).success).toBe(false);
  },
);

describe('a fence', () => {
  it.each([
    ['plain', '```\nplain\n```'],
    ['ends with a break\n', '```\nends with a break\n```'],
    ['a ```js\nfence\n``` within', '````\na ```js\nfence\n``` within\n````'],
    ['`'.repeat(7), `${'`'.repeat(8)}\n${'`'.repeat(7)}\n${'`'.repeat(8)}`],
  ])('around %j is longer than any within', (text, wanted) => {
    expect(fenced(text)).toBe(wanted);
  });
});

it('a result ends with its notes, and with the prompt or answer its reader is left with', () => {
  const text = closingText({ notes: ['first', 'second'], prompt: 'Do it.', raw_answer: 'No.' }).join('\n');
  expect(text).toMatch(/- first\n- second\n[\s\S]*Do it\.[\s\S]*No\./);
  expect(closingText({ notes: [] }).join('')).toBe('');
});
