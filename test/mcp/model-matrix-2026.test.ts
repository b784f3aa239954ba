/** Every tool that asks a model, and every way a model can behave, in round trips of 2026-07-28. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Cell, MODEL_NAMES, MODEL_TOOLS, plant, play, useStages } from '../support/model-matrix.js';
import { NOT_TAKEN_26, OUTCOMES } from '../support/model-outcomes.js';
import { type BegunRun, begin26, drive26, expectHealthy } from '../support/model-wire.js';

const stages = useStages();
const TAKEN = MODEL_NAMES.filter((name) => name !== 'silent' && !NOT_TAKEN_26.includes(name));

describe.each(MODEL_TOOLS)('$label', (tool) => {
  it.each(TAKEN)('of a model that is %s', async (name) => {
    const stage = stages.patient();
    const { unaccepted } = await play(stage, drive26(stage.server), tool, name);
    expect(unaccepted).toEqual([]);
  });
});

/** A client of this era that has no answer, or is told of its fault, does not come back: the job ends as one that nobody answered. */
const GIVEN_UP = [
  ...MODEL_TOOLS.map((tool) => ({ tool, name: 'silent', label: tool.label, unaccepted: [] }) as const),
  // This era has no form for an error.
  ...MODEL_TOOLS.map((tool) => ({ tool, name: 'denying', label: tool.label, unaccepted: [-32602] }) as const),
  ...NOT_TAKEN_26.map((name) => {
    const tool = MODEL_TOOLS[2];
    return { tool, name, label: `${tool.label}, once more`, unaccepted: [-32602] } as const;
  }),
];

/** What is waited for in all of them goes by at once. */
describe('a job that its client does not come back for', () => {
  const begun = new Map<(typeof GIVEN_UP)[number], { readonly cell: Cell; readonly run: BegunRun }>();
  beforeAll(async () => {
    const stage = stages.hasty();
    for (const one of GIVEN_UP) {
      const cell = await plant(stage, one.tool, one.name);
      begun.set(one, { cell, run: await begin26(stage.server)(cell.call) });
    }
  });

  it.each(GIVEN_UP)('ends without an answer of a model that is $name: $label', async (one) => {
    const { cell, run } = { ...begun.get(one) };
    if (!cell || !run) throw new Error('the call of this test was not made');
    const ended = await run.end();
    expect(ended.unaccepted).toEqual(one.unaccepted);
    await cell.judge(ended, OUTCOMES.silent[one.tool.family]);
  });

  it('leaves the server as if nothing had happened', () => expectHealthy(stages.hasty().server));
});
