/** Every tool that asks a model, and every way a model can behave, in round trips of 2026-07-28. */
import { describe, expect, it } from 'vitest';
import { MODEL_NAMES, MODEL_TOOLS, type ModelTool, play, useStages } from '../support/model-matrix.js';
import { NOT_TAKEN_26, OUTCOMES } from '../support/model-outcomes.js';
import { drive26 } from '../support/model-wire.js';
import type { ModelName } from '../support/scripted-model.js';

const stages = useStages();
const TAKEN = MODEL_NAMES.filter((name) => !NOT_TAKEN_26.includes(name));

/** The client of this era is told of its fault, and does not come back: the job ends as one that nobody answered. */
async function turnAway(tool: ModelTool, name: ModelName): Promise<void> {
  const stage = stages.hasty();
  const { unaccepted } = await play(stage, drive26(stage.server), tool, name, OUTCOMES.silent[tool.family]);
  expect(unaccepted).toEqual([-32602]);
}

describe.each(MODEL_TOOLS)('$label', (tool) => {
  it.each(TAKEN)('of a model that is %s', async (name) => {
    const stage = name === 'silent' ? stages.hasty() : stages.patient();
    const { unaccepted } = await play(stage, drive26(stage.server), tool, name);
    expect(unaccepted).toEqual([]);
  });

  it('of a client that answers with an error, for which this era has no form, ends without an answer', () =>
    turnAway(tool, 'denying'));
});

it.each(NOT_TAKEN_26)('a client whose answer is %s is told so, and its job ends without it', (name) =>
  turnAway(MODEL_TOOLS[2], name),
);
