/** A hand-off and its submission through the client lines that hosts embed, none of which offers a model, in both eras and over both transports. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectPreliminary, HAND_OFF } from '../support/hand-off-wire.js';
import { textOf } from '../support/http-wire.js';
import { CLIENT_LINES, connectClient, type SdkClient } from '../support/sdk-clients.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ env: HAND_OFF });
});
afterAll(() => site.close());

const EACH = CLIENT_LINES.flatMap((line) => [{ line, over: 'stdio' } as const, { line, over: 'HTTP' } as const]);

describe.each(EACH)('a $line client over $over', ({ line, over }) => {
  let client: SdkClient;
  beforeAll(async () => {
    const commandLine = site.commandLine('stdio', { env: HAND_OFF, args: ['--workers', '0'] });
    client = await connectClient(line, over === 'HTTP' ? { url: server.url } : { stdio: commandLine }, {});
    // From here on it holds every structured result to the published schema.
    await client.listTools();
  });
  afterAll(() => client?.close());

  it('is handed the job over, finds it again, and finishes it with submit_review', async () => {
    const id = expectPreliminary(await client.callTool('hand_over', {}));
    const job = await client.callTool('get_job', { job_id: id, wait_seconds: 10 });
    expect(job.structuredContent).toMatchObject({ waits_for: 'submit_review', preliminary: { packet: 'packet 1 ' } });
    const findings = [{ line: 1, quote: 'x' }, 'odd'];
    const end = await client.callTool('submit_review', { job_id: id, findings });
    expect(end.structuredContent).toEqual({ job_id: id, status: 'finished', replies: [{ findings }] });
    expect(textOf(end)).toMatch(/^finished /);
    const again = await client.callTool('submit_review', { job_id: id, findings: [] });
    expect(again.structuredContent).toEqual(end.structuredContent);
  });

  it('reads why a submission is not taken', async () => {
    const id = expectPreliminary(await client.callTool('hand_over', {}));
    await client.callTool('cancel_job', { job_id: id });
    const refused = await client.callTool('submit_review', { job_id: id, findings: [] });
    expect(expectError(refused, 'submission_not_awaited')).toContain('it is cancelled');
  });
});
