import { EventEmitter, once } from 'node:events';
import { expect, it } from 'vitest';
import { createRefusalNote } from '../../src/ops/refusals.js';

it('further refusals are told in sum after a while, and the next one after a quiet time at once', async () => {
  const told = new EventEmitter();
  const silent = () => undefined;
  const warn = (fields: Readonly<Record<string, unknown>>) => void told.emit('warn', fields);
  const note = createRefusalNote({ debug: silent, info: silent, error: silent, warn }, 20);
  const first = once(told, 'warn');
  note('10.0.0.1');
  expect(await first).toEqual([{ from: '10.0.0.1' }]);
  const rest = once(told, 'warn');
  // Keeps the process awake, which the note does not.
  const awake = setInterval(silent, 1_000);
  note('10.0.0.2');
  note('10.0.0.3');
  expect(await rest).toEqual([{ refused: 2 }]);
  clearInterval(awake);
});
