import { describe, expect, it } from 'vitest';
import { abortableWith } from '../../src/core/abort.js';
import { collectGarbage } from '../support/garbage.js';
import { until } from '../support/gate.js';

const aborted = (signal: AbortSignal) =>
  until(
    () => signal.aborted,
    (is) => is,
    { what: 'the abort' },
  );

describe('a signal that follows another', () => {
  it('aborts with its reason, at once if it already has', () => {
    const other = new AbortController();
    const early = abortableWith(other.signal);
    other.abort('enough');
    const late = abortableWith(other.signal);
    expect([early, late].map(({ signal }) => signal.reason)).toEqual(['enough', 'enough']);
  });

  it('aborts alone, and not any more with the other one once released', () => {
    const other = new AbortController();
    const [own, released] = [abortableWith(other.signal), abortableWith(other.signal)];
    own.abort('for itself');
    released.release();
    other.abort('enough');
    expect(other.signal.reason).toBe('enough');
    expect(own.signal.reason).toBe('for itself');
    expect(released.signal.aborted).toBe(false);
  });

  it('aborts after its limit, though garbage was collected before', async () => {
    const { signal } = abortableWith(new AbortController().signal, 200);
    collectGarbage();
    await aborted(signal);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('waits for no limit once released', async () => {
    const released = abortableWith(new AbortController().signal, 20);
    released.release();
    await aborted(abortableWith(new AbortController().signal, 100).signal);
    expect(released.signal.aborted).toBe(false);
  });
});
