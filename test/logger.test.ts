/** The process log while nobody reads it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../src/logger.js';
import { within } from './support/gate.js';
import { openSite } from './support/site.js';
import { requestMessage } from './support/wire-messages.js';

/** Each is a warning in the log; together they are several times what pipe and backlog hold. */
const GARBAGE_LINES = 30_000;

it('a host that never reads stderr is served all the same, and hears of dropped lines if it reads again', async () => {
  const site = await openSite();
  onTestFinished(() => site.close());
  const { command, args, env, cwd } = site.commandLine('stdio', { args: ['--workers', '0'] });
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const answer = once(createInterface({ input: child.stdout }), 'line');
  child.stdin.write('no message\n'.repeat(GARBAGE_LINES));
  child.stdin.write(`${JSON.stringify(requestMessage('p', 'ping'))}\n`);
  const [line] = await within(answer, { what: 'an answer beside an unread log', limitMs: 60_000 });
  expect(JSON.parse(String(line))).toMatchObject({ id: 'p' });

  const log = createInterface({ input: child.stderr });
  const notice = new Promise<{ dropped: number }>((resolve) => {
    log.on('line', (text) => text.includes('"dropped":') && resolve(JSON.parse(text)));
  });
  const nudge = setInterval(() => child.stdin.write('no message\n'), 50);
  const { dropped } = await within(notice, { what: 'the notice of dropped lines' });
  clearInterval(nudge);
  expect(dropped).toBeGreaterThan(1_000);
  child.stdin.end();
  await within(ended, { what: 'the end' });
});

it('an error of a Redis command is logged without what the command was given, also as the cause of another', () => {
  const lines: string[] = [];
  const logger = createLogger('test', 'debug', { write: (line) => void lines.push(line) });
  const refused = Object.assign(new Error('WRONGPASS invalid'), {
    command: { name: 'auth', args: ['queue', 's3cret'] },
  });
  logger.debug({ err: refused }, 'plain');
  logger.warn({ err: new Error('away', { cause: refused }) }, 'as a cause');
  expect(lines.map((line) => JSON.parse(line).err)).toMatchObject([
    { message: 'WRONGPASS invalid', command: 'auth' },
    { message: 'away', cause: { message: 'WRONGPASS invalid', command: 'auth' } },
  ]);
  expect(lines.join('')).not.toContain('s3cret');
});
