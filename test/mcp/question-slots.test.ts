/** The places of one client: never more than there are, and calls take turns whoever asks most. */
import { expect, it } from 'vitest';
import { createQuestionSlots, type Slot } from '../../src/mcp/question-slots.js';

const granted = (slots: readonly Slot[]) => slots.map((slot) => slot.isGranted());

it('are granted up to the limit, and the next when one is freed', async () => {
  const slots = createQuestionSlots(2);
  const call = {};
  const [a, b, c] = [slots.request(call), slots.request(call), slots.request(call)];
  expect(granted([a, b, c])).toEqual([true, true, false]);
  b.free();
  b.free();
  await c.granted;
  expect(granted([slots.request(call)])).toEqual([false]);
});

it('go to the calls by turns', () => {
  const slots = createQuestionSlots(1);
  const [eager, modest, late] = [{}, {}, {}];
  const held = slots.request(eager);
  const waiting = {
    e1: slots.request(eager),
    e2: slots.request(eager),
    e3: slots.request(eager),
    m1: slots.request(modest),
    m2: slots.request(modest),
    l1: slots.request(late),
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
  const held = slots.request({});
  const [gone, stays] = [slots.request({}), slots.request({})];
  gone.free();
  held.free();
  expect(granted([gone, stays])).toEqual([false, true]);
});
