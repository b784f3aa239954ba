/** Every tool that asks a model, and every way a model can behave, in sessions of 2025-11-25 over HTTP. */
import { describe, expect, it } from 'vitest';
import { MODEL_NAMES, MODEL_TOOLS, play, useStages } from '../support/model-matrix.js';
import { drive25 } from '../support/model-wire.js';

const stages = useStages();

describe.each(MODEL_TOOLS)('$label', (tool) => {
  it.each(MODEL_NAMES)('of a model that is %s', async (name) => {
    const stage = name === 'silent' ? stages.hasty() : stages.patient();
    const { unaccepted } = await play(stage, drive25(stage.server), tool, name);
    expect(unaccepted).toEqual([]);
  });
});
