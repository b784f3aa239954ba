/** Redis over TLS, with an authority of its own that also signs the client's certificate: one server, and a cluster. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createLogger } from '../../src/logger.js';
import { examine } from '../../src/operator.js';
import { parseRedisUrl, type RedisAddress, withAccess } from '../../src/redis/address.js';
import { closeRedis, connectRedis, readyWithin } from '../../src/redis/connection.js';
import { readTlsFiles } from '../../src/redis/tls-files.js';
import { redisServer, type ServerSettings } from '../support/redis-server.js';

const folder = mkdtempSync(join(tmpdir(), 'longhaul-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string) => join(folder, name);

/** Makes the authority and a certificate for this machine's loopback address. */
function makeCertificates() {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    name,
  ];
  openssl('req', '-x509', ...key('ca.key'), '-out', 'ca.pem', '-subj', '/CN=test authority', '-days', '2');
  openssl('req', ...key('own.key'), '-out', 'own.csr', '-subj', '/CN=test');
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1\n');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'own.csr', ...signed, '-out', 'own.pem');
  return { ca: file('ca.pem'), cert: file('own.pem'), key: file('own.key') };
}

const files = (() => {
  try {
    return makeCertificates();
  } catch {
    return undefined;
  }
})();

async function start(settings: ServerSettings = {}) {
  if (!files) throw new Error('openssl is not here');
  const server = await redisServer({ appendonly: 'yes', ...settings }, { tls: files });
  onTestFinished(() => server.stop());
  return server;
}

async function opens(address: RedisAddress): Promise<boolean> {
  const redis = connectRedis(address, 'work');
  onTestFinished(() => closeRedis(redis));
  return (await readyWithin(redis, 20_000)) && (await redis.set('{ns}:x', '1')) === 'OK';
}

describe.skipIf(!files)('Redis over TLS', () => {
  it('is reached by the authority and the certificate that the settings name', async () => {
    const { host } = await start();
    const address = parseRedisUrl(`rediss://${host}`, 'ns');
    if (!address || !files) throw new Error('no address');
    expect(await opens(withAccess(address, { tls: await readTlsFiles(files) }))).toBe(true);
  });

  it('is reached as a cluster, whose nodes are asked over TLS as well', async () => {
    const server = await start({ 'cluster-enabled': 'yes' });
    if (!files) return;
    const tls = { ca: readFileSync(files.ca), cert: readFileSync(files.cert), key: readFileSync(files.key) };
    await server.client({ tls }).call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => slot));
    const address = parseRedisUrl(`rediss+cluster://${server.host}`, 'ns');
    if (!address) throw new Error('no address');
    expect(await opens(withAccess(address, { tls: await readTlsFiles(files) }))).toBe(true);
  });

  it('without its authority is named as what it is', async () => {
    const { host } = await start();
    const config = loadConfig({ LONGHAUL_REDIS_URL: `rediss://${host}` });
    const found = await examine(config, createLogger('test', 'silent'));
    expect(found.find(({ check }) => check === 'Redis')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('no secure connection'),
      mend: expect.stringContaining('LONGHAUL_REDIS_TLS_CA'),
    });
  });
});

describe('the files of a TLS connection', () => {
  it.each([
    [{ ca: file('missing.pem') }, /LONGHAUL_REDIS_TLS_CA: cannot read .*missing\.pem/],
    [{ key: file('names') }, /LONGHAUL_REDIS_TLS_KEY: .*names is not a PEM file/],
    [{ ca: file('ca.pem'), cert: file('own.pem') }, /LONGHAUL_REDIS_TLS_CERT is set but LONGHAUL_REDIS_TLS_KEY is not/],
  ])('%o is refused by the name of its setting', async (paths, message) => {
    if (!files) writeFileSync(file('own.pem'), '-----BEGIN \n');
    if (!files) writeFileSync(file('ca.pem'), '-----BEGIN \n');
    writeFileSync(file('names'), 'no certificate\n');
    await expect(readTlsFiles(paths)).rejects.toThrow(message);
  });
});
