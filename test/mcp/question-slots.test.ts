/** The places of one client: never more than there are, and calls take turns whoever asks most. */
import { expect, it } from 'vitest';
import { createQuestionSlots, type Slot } from '../../src/mcp/question-slots.js';

const granted = (slots: readonly Slot[]) => slots.map((slot) => slot.isGranted());

it('are granted up to the limit, and the next when one is freed', async () => {
  const slots = createQuestionSlots(2);
  const call = {};
  const [a, b, c] = [slots.request(call, 'q'), slots.request(call, 'q'), slots.request(call, 'q')];
  expect(granted([a, b, c])).toEqual([true, true, false]);
  b.free();
  b.free();
  await c.granted;
  expect(granted([slots.request(call, 'q')])).toEqual([false]);
});

it('go to the calls by turns', () => {
  const slots = createQuestionSlots(1);
  const [eager, modest, late] = [{}, {}, {}];
  const held = slots.request(eager, 'q');
  const waiting = {
    e1: slots.request(eager, 'q'),
    e2: slots.request(eager, 'q'),
    e3: slots.request(eager, 'q'),
    m1: slots.request(modest, 'q'),
    m2: slots.request(modest, 'q'),
    l1: slots.request(late, 'q'),
  };
  const order: string[] = [];
  held.free();
  for (let turn = 0; turn < 6; turn++) {
    const [name, slot] = Object.entries(waiting).find(([key, one]) => one.isGranted() && !order.includes(key)) ?? [];
    order.push(String(name));
    slot?.free();
  }
  expect(order).toEqual(['e1', 'm1', 'l1', 'e2', 'm2', 'e3']);
});

it('are not given to who no longer waits', () => {
  const slots = createQuestionSlots(1);
  const held = slots.request({}, 'q');
  const [gone, stays] = [slots.request({}, 'q'), slots.request({}, 'q')];
  gone.free();
  held.free();
  expect(granted([gone, stays])).toEqual([false, true]);
});
