import type { lookup } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { type PostOptions, post } from '../../src/webhook/post.js';
import { isPublicAddress } from '../../src/webhook/public-address.js';
import { signed } from '../../src/webhook/signature.js';
import { collectGarbage } from '../support/garbage.js';
import { within } from '../support/gate.js';
import { type Answer, startReceiver } from './receiver.js';

async function setup(...answers: Answer[]) {
  const receiver = await startReceiver(answers);
  const send = (more: Partial<PostOptions> = {}) =>
    post({
      url: receiver.url,
      headers: { 'content-type': 'application/json' },
      body: '{"a":"ä"}',
      timeoutMs: 5_000,
      anyAddress: true,
      signal: new AbortController().signal,
      ...more,
    });
  return { ...receiver, send };
}

/** A resolver that answers from a list, one answer a question. */
function resolver(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve = ((name: string, _options: unknown, callback: (...args: unknown[]) => void) => {
    const addresses = answers[asked.length] ?? [];
    asked.push(name);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as typeof lookup;
  return { asked, resolve };
}

describe('a post', () => {
  it('sends the body as it is, and takes the status for the answer', async () => {
    const { send, received } = await setup({ status: 202 });
    expect(await send()).toEqual({ kind: 'answered', status: 202, retryAfterMs: undefined });
    expect(received).toMatchObject([{ body: '{"a":"ä"}', headers: { 'content-length': '10' } }]);
  });

  it('follows no redirect', async () => {
    const { send, received, url } = await setup({ status: 307, headers: { location: '/elsewhere' } });
    expect(await send({ url })).toMatchObject({ kind: 'answered', status: 307 });
    expect(received).toHaveLength(1);
  });

  it('reads how long the receiver wants to be left alone', async () => {
    const { send } = await setup({ status: 503, headers: { 'retry-after': '30' } });
    expect(await send()).toMatchObject({ status: 503, retryAfterMs: 30_000 });
  });

  it('gives up a receiver that says nothing, and one that cuts the connection', async () => {
    const { send } = await setup('reset', 'hold');
    expect(await send()).toMatchObject({ kind: 'failed', why: expect.stringMatching(/ECONNRESET|hang up/) });
    // Last, since the receiver, which lives in this process too, may not have taken the request by then.
    expect(await send({ timeoutMs: 300 })).toEqual({ kind: 'failed', why: 'no answer within 300 ms' });
  });

  it('gives up a receiver that wants to speak another protocol', async () => {
    const { send } = await setup({ status: 101, headers: { connection: 'Upgrade', upgrade: 'other' } });
    const said = within(send(), { what: 'the end of the connection' });
    expect(await said).toMatchObject({ kind: 'failed', why: expect.stringContaining('without an answer') });
  });

  it('gives up in time even when garbage is collected while it waits', async () => {
    const { send, count } = await setup('hold');
    const sent = send({ timeoutMs: 2_000 });
    await count(1);
    collectGarbage();
    const said = within(sent, { what: 'the limit' });
    expect(await said).toEqual({ kind: 'failed', why: 'no answer within 2000 ms' });
  });

  it('goes to no address of this host unless that is allowed, however it is written', async () => {
    const { send, received, url } = await setup();
    const { port } = url;
    const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'];
    for (const host of hosts) {
      const posted = await send({ url: new URL(`http://${host}:${port}/hook`), anyAddress: false });
      expect(posted).toMatchObject({ kind: 'failed', why: expect.stringContaining('LONGHAUL_WEBHOOK_ADDRESSES=any') });
    }
    expect(received).toEqual([]);
  });

  it('goes to no private address that a name leads to, and to no other than the one it checked', async () => {
    const { send, received, url } = await setup();
    const named = new URL(`http://hooks.example:${url.port}/hook`);
    const inside = resolver(['10.0.0.7', 'fd00::7']);
    const refused = await send({ url: named, anyAddress: false, resolve: inside.resolve });
    expect(refused).toMatchObject({ kind: 'failed', why: expect.stringContaining('10.0.0.7, fd00::7 is not') });

    // The second answer, which nobody asks for, is where a rebinding name would lead.
    const rebinding = resolver(['127.0.0.1'], ['10.0.0.7']);
    expect(await send({ url: named, resolve: rebinding.resolve })).toMatchObject({ status: 204 });
    expect(rebinding.asked).toEqual(['hooks.example']);
    expect(received).toMatchObject([{ headers: { host: `hooks.example:${url.port}` } }]);
  });
});

describe('addresses', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.53', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
    ...['192.168.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:1.1.1.1', 'fe80::1'],
    ...['fd12::1', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2001::1', 'fe80::1%lo', 'name', ''],
  ])('%j is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a signature', () => {
  it('is the one that the libraries of Standard Webhooks are tested with', () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', atMs: 1_614_265_330_999 };
    expect(signed(message, [key])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is made with every key while one is being replaced', () => {
    const message = { id: 'msg_1', body: '{}', atMs: 0 };
    const [one, two] = [Buffer.alloc(24, 1), Buffer.alloc(24, 2)];
    const both = signed(message, [one, two])['webhook-signature'].split(' ');
    expect(both).toEqual([one, two].map((key) => signed(message, [key])['webhook-signature']));
  });
});
