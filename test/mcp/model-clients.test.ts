/** Every tool that asks a model, through the client lines that hosts embed: with sampling, without it, and with a user who says no. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobIdOf, textOf, type WireResult } from '../support/http-wire.js';
import { MODEL_TOOLS, type ModelTool } from '../support/model-matrix.js';
import { expectOutcome, OUTCOMES } from '../support/model-outcomes.js';
import {
  CODE,
  FAULT_LINE,
  FINDING,
  type ModelQuestion,
  REWRITTEN,
  readQuestion,
  rightAnswer,
} from '../support/scripted-model.js';
import { type Asked, CLIENT_LINES, connectClient, type Offers, type SdkClient } from '../support/sdk-clients.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ env: { LONGHAUL_SESSION_OUTPUT_TOKENS: '10000000' } });
});
afterAll(() => site.close());

const EACH = CLIENT_LINES.flatMap((line) => [{ line, over: 'stdio' } as const, { line, over: 'HTTP' } as const]);
const WRITES = () => ({ action: 'accept' as const, content: { style: 'safe', dry_run: false, max_files: 5 } });

/** Calls a tool on a folder of the call's own, and gives what came with the file as it is then. */
async function call(client: SdkClient, { tool, family, args }: ModelTool) {
  const folder = await mkdtemp(join(site.root, 'code-'));
  const file = join(folder, 'a.js');
  await writeFile(file, CODE);
  const where = { refactor: { rel_path: relative(site.root, folder) }, score: { repoPath: folder } };
  const given = family === 'refactor' || family === 'score' ? { ...args, ...where[family] } : args;
  const result = await client.callTool(tool, given);
  return { result, file: () => readFile(file, 'utf8') };
}

/** What a client without sampling is left with, by family. */
const LEFT_WITH: Readonly<Record<ModelTool['family'], object>> = {
  review: { packet: { chunks: [{ number: 1 }], submit: { tool: 'submit_review' } } },
  tests: { prompt: expect.stringContaining('Write tests') },
  score: { scores: [{ score: null, prompt: expect.stringContaining('complexity') }] },
  refactor: { prepared: [{ path: 'a.js', content: CODE }] },
};

async function expectHandedOver(client: SdkClient, handed: WireResult, tool: ModelTool): Promise<void> {
  const findings = [{ ...FINDING, line: 3 }, FINDING, { ...FINDING, quote: 'of nothing' }];
  const done = await client.callTool('submit_review', { job_id: jobIdOf(handed), findings, summary: 'One fault.' });
  expect(done.isError, textOf(done)).toBeFalsy();
  expect(done.structuredContent).toMatchObject({
    status: 'complete',
    sampling: 'unavailable',
    findings: [{ id: 'F1', line: FAULT_LINE }],
    left_out: [{ reason: 'the quote is not in the file' }],
  });
  expect(done.structuredContent?.findings).toHaveLength(1);
  const again = await client.callTool('submit_review', { job_id: jobIdOf(handed), findings: [] });
  expect(again.structuredContent).toEqual(done.structuredContent);
  const job = await client.callTool('get_job', { job_id: jobIdOf(handed) });
  expect(job.structuredContent).toMatchObject({ tool: tool.tool, state: 'completed' });
}

describe.each(EACH)('a $line client over $over', ({ line, over }) => {
  /** Connects, has the schemas published, which the client then holds results to, and closes at the end. */
  async function withClient(offers: Offers, run: (client: SdkClient) => Promise<void>): Promise<void> {
    const args = ['--workers', '0', '--root', site.root];
    const place = over === 'HTTP' ? { url: server.url } : { stdio: site.commandLine('stdio', { args }) };
    const client = await connectClient(line, place, offers);
    await client.listTools();
    await run(client).finally(() => client.close());
  }

  it('with sampling gets from each tool what it is for', async () => {
    const asked: ModelQuestion[] = [];
    const sampling = (params: Asked) => {
      const question = readQuestion(params);
      asked.push(question);
      const content = { type: 'text' as const, text: JSON.stringify(rightAnswer(question.form)) };
      return { role: 'assistant' as const, model: 'm', stopReason: 'endTurn', content };
    };
    await withClient({ sampling, elicitation: WRITES }, async (client) => {
      for (const tool of MODEL_TOOLS) {
        asked.length = 0;
        const { result, file } = await call(client, tool);
        expectOutcome({ result, asked, unaccepted: [] }, tool.family, OUTCOMES.clean[tool.family]);
        expect(asked.length).toBeGreaterThan(0);
        expect(await file()).toBe(tool.family === 'refactor' ? REWRITTEN : CODE);
      }
    });
  }, 60_000);

  it('without it is asked nothing, gets something to go on with at once, and finishes reviews by submit_review', async () => {
    await withClient({}, async (client) => {
      for (const tool of MODEL_TOOLS) {
        const { result, file } = await call(client, tool);
        expect(result.isError, textOf(result)).toBeFalsy();
        const left = { status: 'unavailable', complete: false, ...LEFT_WITH[tool.family] };
        expect([tool.label, result.structuredContent]).toMatchObject([tool.label, left]);
        expect(textOf(result)).toMatch(/does not offer sampling/);
        if (tool.family === 'review') await expectHandedOver(client, result, tool);
        expect(await file()).toBe(CODE);
      }
    });
  }, 60_000);

  it('whose user says no is told so by each tool, which asks nobody else and changes nothing', async () => {
    let asked = 0;
    const sampling = () => {
      asked += 1;
      throw Object.assign(new Error('User rejected sampling request'), { code: -1 });
    };
    await withClient({ sampling, elicitation: WRITES }, async (client) => {
      for (const tool of MODEL_TOOLS) {
        asked = 0;
        const called = call(client, tool);
        // A client of 2026 cannot tell its server of a refusal: the call ends on the client's own side.
        if (line === '2.x of 2026') await expect(called).rejects.toThrow('User rejected sampling request');
        else {
          const { result, file } = await called;
          expectOutcome({ result, asked: [], unaccepted: [] }, tool.family, OUTCOMES.denying[tool.family]);
          expect(await file()).toBe(CODE);
        }
        expect(asked).toBe(1);
      }
    });
  }, 60_000);
});
