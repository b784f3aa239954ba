import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliHome, TEST_TOOLS } from '../cli/run-cli.js';
import { type TestRedis, testRedis } from '../support/redis.js';
import { startReceiver } from './receiver.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

const ENDPOINT = /http:\/\/127\.0\.0\.1:\d+\/mcp/;

it('a notification outlives the process that was killed while it sent it', async () => {
  const receiver = await startReceiver(['hold']);
  const home = await cliHome();
  const env = {
    LONGHAUL_REDIS_URL: urlOf(server),
    LONGHAUL_NAMESPACE: `killed-${process.pid}`,
    LONGHAUL_LOG_LEVEL: 'info',
    LONGHAUL_WEBHOOK_URL: receiver.url.href,
    LONGHAUL_WEBHOOK_SECRET: Buffer.alloc(32, 7).toString('base64'),
    LONGHAUL_WEBHOOK_ADDRESSES: 'any',
    LONGHAUL_WEBHOOK_TIMEOUT_SECONDS: '1',
  };
  const first = home.start(['http', '--port', '0', '--workers', '1', '--tools', TEST_TOOLS], { env });
  const url = await first.saysMatching(ENDPOINT);
  const call = await home.run(['call', 'echo', '--url', url, '--args', '{"text":"x"}', '--json']);
  expect(call.code).toBe(0);
  await receiver.count(1);
  first.interrupt('SIGKILL');
  await first.end;

  const second = home.start(['http', '--port', '0', '--workers', '0'], { env });
  await receiver.count(2);
  const [before, after] = receiver.received;
  expect(after?.body).toBe(before?.body);
  expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
  second.interrupt();
  const { code, stdout, stderr } = await second.end;
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).not.toContain(env.LONGHAUL_WEBHOOK_SECRET);
});

function urlOf({ url }: TestRedis): string {
  return url.startsWith('/') ? `unix://${url}` : url;
}
