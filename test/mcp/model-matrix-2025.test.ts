/** Every tool that asks a model, and every way a model can behave, in sessions of 2025-11-25 over HTTP. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Cell, MODEL_NAMES, MODEL_TOOLS, plant, play, useStages } from '../support/model-matrix.js';
import { drive25, expectHealthy, type ModelRun } from '../support/model-wire.js';

const stages = useStages();

describe.each(MODEL_TOOLS)('$label', (tool) => {
  it.each(MODEL_NAMES.filter((name) => name !== 'silent'))('of a model that is %s', async (name) => {
    const stage = stages.patient();
    const { unaccepted } = await play(stage, drive25(stage.server), tool, name);
    expect(unaccepted).toEqual([]);
  });
});

/** What is waited for in all of them goes by at once. */
describe('of a model that is silent', () => {
  const begun = new Map<string, { readonly cell: Cell; readonly run: Promise<ModelRun> }>();
  beforeAll(async () => {
    const stage = stages.hasty();
    for (const tool of MODEL_TOOLS) {
      const cell = await plant(stage, tool, 'silent');
      const run = drive25(stage.server)(cell.call);
      // A test that fails before it looks is told of the first fault.
      run.catch(() => undefined);
      begun.set(tool.label, { cell, run });
    }
  });

  it.each(MODEL_TOOLS)('$label', async ({ label }) => {
    const { cell, run } = { ...begun.get(label) };
    if (!cell || !run) throw new Error('the call of this test was not made');
    expect((await run).unaccepted).toEqual([]);
    await cell.judge(await run);
  });

  it('the server goes on as if nothing had happened', () => expectHealthy(stages.hasty().server));
});
