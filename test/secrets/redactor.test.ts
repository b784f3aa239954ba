/** The redactor of a process: the same whatever the size, beside the event loop, and never beyond its time. */
import { expect, it, onTestFinished } from 'vitest';
import { createRedactionThread } from '../../src/secrets/redaction-thread.js';
import { createRedactor } from '../../src/secrets/redactor.js';
import { fakeSecrets } from './fake-secrets.js';

const secretOf = (word: string) => async () => word;
const open = (word = 'an installation') => {
  const redactor = createRedactor({ secret: secretOf(word) });
  onTestFinished(() => redactor.close());
  return redactor;
};
const TOKEN = fakeSecrets().find(({ name }) => name === 'GitHub classic')?.values[0] ?? '';
const placeholderIn = (text: string) => /\[REDACTED:[^\]]+\]/.exec(text)?.[0];

it('the same value has the same placeholder in small and large texts and in values, in every process of an installation', async () => {
  const [one, two] = [open(), open()];
  const small = await one.redact(`"${TOKEN}"`);
  const large = await one.redact(`"${TOKEN}"\n${'const a = 1;\n'.repeat(10_000)}`);
  const elsewhere = await two.redactJson({ list: [{ text: TOKEN, n: 1 }], more: 'x'.repeat(10_000) });
  const placeholder = placeholderIn(small.text);
  expect(placeholder).toMatch(/github_token/);
  expect([placeholderIn(large.text), placeholderIn(JSON.stringify(elsewhere))]).toEqual([placeholder, placeholder]);
  expect(placeholderIn((await open('another').redact(TOKEN)).text)).not.toBe(placeholder);
});

it('a path counts for large texts as for small ones', async () => {
  const redactor = open();
  expect((await redactor.redact('a', { path: '.env' })).blocked).toMatch(/environment/);
  expect((await redactor.redact('a\n'.repeat(10_000), { path: '.env' })).blocked).toMatch(/environment/);
});

it('a value keeps its shape, and what its texts are called counts', async () => {
  const password = `Hx${'4'.repeat(2)}kq!w`;
  const value = {
    password,
    n: 1.5,
    yes: true,
    none: null,
    list: ['a', { token: 12345678 }],
    text: `password="${password}"\n`,
  };
  expect(await open().redactJson(value)).toEqual({
    ...value,
    password: expect.stringMatching(/^\[REDACTED:password:....\]$/),
    text: expect.stringMatching(/^password="\[REDACTED:password:....\]"\n$/),
  });
});

it('a large text leaves the event loop free', async () => {
  const redactor = open();
  await redactor.redact('x'.repeat(5_000));
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await redactor.redact(`const token = read();\nconst url = "https://a.b/c";\n`.repeat(40_000));
  clearImmediate(next);
  expect(turns).toBeGreaterThan(20);
});

it('a text that takes longer than its time is refused with a reason, and the next one is served', async () => {
  const thread = createRedactionThread();
  onTestFinished(() => thread.close());
  const slow = { kind: 'text', text: 'password="a1'.repeat(200_000), salt: 's' } as const;
  await expect(thread.ask(slow, 1)).rejects.toMatchObject({
    code: 'redaction_failed',
    message: expect.stringContaining('took more than 1 ms; it was neither sent nor stored'),
  });
  expect(await thread.ask({ kind: 'text', text: TOKEN, salt: 's' }, 30_000)).toMatchObject({
    redaction: { found: [{ kind: 'github_token', line: 1 }] },
  });
});

it('a thread that dies is a refusal, and so is one that is closed', async () => {
  const broken = createRedactionThread(new URL('data:text/javascript,process.exit(1)'));
  await expect(broken.ask({ kind: 'text', text: 'a', salt: 's' }, 30_000)).rejects.toMatchObject({
    code: 'redaction_failed',
  });
  const closed = createRedactionThread();
  await closed.close();
  await expect(closed.ask({ kind: 'text', text: 'a', salt: 's' }, 30_000)).rejects.toMatchObject({
    code: 'redaction_failed',
  });
});

it('texts asked for together are answered each with its own', async () => {
  const redactor = open();
  const texts = Array.from({ length: 5 }, (_, n) => `${n} ${'x '.repeat(4_000)}`);
  const all = await Promise.all(texts.map((text) => redactor.redact(text)));
  expect(all.map(({ text }) => text)).toEqual(texts);
});
