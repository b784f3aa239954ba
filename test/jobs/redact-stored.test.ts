/** What is taken out of arguments before a job is stored: secrets wherever a tool puts text before a model. */
import { afterAll, expect, it } from 'vitest';
import type { ToolContract } from '../../src/core/tool.js';
import { redactArguments } from '../../src/jobs/redact-stored.js';
import { createRedactor } from '../../src/secrets/redactor.js';
import { generateTests } from '../../src/tools/generate-tests.js';
import { reviewCode } from '../../src/tools/review-code.js';
import { smartReview } from '../../src/tools/smart-review.js';

const redactor = createRedactor({ secret: async () => 'of this test' });
afterAll(() => redactor.close());

const secret = ['ghp_', 'a8Kd93LmQ0xZ7vB2nC5tR1wY6uE4sJhGfDpA'].join('');

it.each([
  [reviewCode, { code: `a = "${secret}"`, language: secret }],
  [generateTests, { code: `a = "${secret}"`, language: secret, framework: secret }],
  [smartReview, { code: `a = "${secret}"`, language: secret }],
  [smartReview, { diff: `--- a/${secret}\n+++ b/${secret}\n@@ -0,0 +1 @@ ${secret}\n+a = "${secret}"` }],
] as const)('no argument of $name that goes into a prompt keeps a secret', async (contract, args) => {
  const clean = JSON.stringify(await redactArguments(redactor, contract as unknown as ToolContract, args));
  expect(clean).not.toContain(secret);
  expect(clean.match(/\[REDACTED:github_token:/g)?.length).toBeGreaterThanOrEqual(Object.keys(args).length);
});
