/** Every tool that asks a model, on stdio: a sample of the ways a model can behave, each line of stdout a message. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { MODEL_TOOLS, play, useStages } from '../support/model-matrix.js';
import { driveStdio } from '../support/model-wire.js';
import type { ModelName } from '../support/scripted-model.js';
import { type StdioWire, startStdio } from '../support/stdio-wire.js';

const stages = useStages();
const wires = new Map<'patient' | 'hasty', StdioWire>();
beforeAll(async () => {
  for (const name of ['patient', 'hasty'] as const) {
    const { site } = stages[name]();
    const wire = await startStdio({ site, workers: 0, args: ['--root', site.root] });
    wires.set(name, wire);
    await wire.initialize({ sampling: {}, elicitation: {} });
  }
});
/** Throws if stdout held anything but messages. */
afterAll(() => Promise.all([...wires.values()].map((wire) => wire.dispose())));

const SAMPLE: readonly ModelName[] = [
  ...(['clean', 'truncated', 'refusing', 'silent', 'denying', 'quoting phantoms', 'obeying the code'] as const),
  ...(['longer than 5 MB', 'nesting brackets', 'nesting in a block', 'writing NUL', 'without content'] as const),
];

describe.each(MODEL_TOOLS)('$label', (tool) => {
  it.each(SAMPLE)('of a model that is %s', async (name) => {
    const stage = name === 'silent' ? 'hasty' : 'patient';
    const wire = wires.get(stage);
    if (!wire) throw new Error('the front end of this test is not started');
    await play(stages[stage](), driveStdio(wire), tool, name);
  });
});
