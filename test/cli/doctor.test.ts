import { chmod, mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { nothingIsLeft } from '../embedded/holders.js';
import { weakRedis } from '../ops/weak-redis.js';
import { cliHome } from './run-cli.js';

interface Report {
  ok: boolean;
  findings: { check: string; status: string; seen: string; mend?: string }[];
}

function find(stdout: string, check: string) {
  const report: Report = JSON.parse(stdout);
  return report.findings.find((finding) => finding.check === check);
}

describe('longhaul doctor', () => {
  it('finds a new installation fit, and leaves nothing running', async () => {
    const home = await cliHome();
    const { code, stdout } = await home.run(['doctor', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).ok).toBe(true);
    expect(find(stdout, 'Redis')?.seen).toContain('private Redis');
    expect(find(stdout, 'Persistence')).toMatchObject({ status: 'ok', seen: 'append-only file, synced every second' });
    await nothingIsLeft(home.dataDir);
  });

  it('says what to mend in a Redis that would lose jobs', async () => {
    const home = await cliHome();
    const { host } = await weakRedis({ appendonly: 'no', 'maxmemory-policy': 'volatile-lru' });
    const { code, stdout } = await home.run(['doctor', '--redis', `redis://${host}`]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}Eviction policy +volatile-lru/m);
    expect(stdout).toMatch(/^ +-> redis-cli CONFIG SET maxmemory-policy noeviction/m);
    expect(stdout).toMatch(/^FAIL {2}Persistence +no append-only file/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('looks quickly, without loading a worker, for a health check', async () => {
    const home = await cliHome();
    const { host } = await weakRedis({ appendonly: 'yes' });
    const { code, stdout } = await home.run(['doctor', '--quick', '--json', '--redis', `redis://${host}`]);
    expect(code).toBe(0);
    expect(find(stdout, 'Redis')).toMatchObject({ status: 'ok' });
    expect(find(stdout, 'Workers')).toBeUndefined();
  });

  it('names a refused login without showing the password', async () => {
    const home = await cliHome();
    const { host } = await weakRedis({ requirepass: 'right' });
    const { code, stdout, stderr } = await home.run(['doctor', '--json', '--redis', `redis://:s3cret@${host}`]);
    expect(code).toBe(1);
    expect(find(stdout, 'Redis')).toMatchObject({ status: 'fail', mend: expect.stringContaining('USER:PASSWORD') });
    const jobs = await home.run(['jobs', 'list', '--json', '--redis', `redis://:s3cret@${host}`]);
    expect(jobs.code).toBe(1);
    expect(JSON.parse(jobs.stdout).error).toMatchObject({
      code: 'redis_unavailable',
      message: expect.stringContaining('WRONGPASS'),
    });
    expect(`${stdout}${stderr}${jobs.stdout}${jobs.stderr}`).not.toContain('s3cret');
  });

  it('names a wrong log level like any other setting, and heeds a right one', async () => {
    const home = await cliHome();
    const wrong = await home.run(['doctor'], { env: { LONGHAUL_LOG_LEVEL: 'loud', LONGHAUL_WORKERS: 'many' } });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('LONGHAUL_LOG_LEVEL: ');
    expect(wrong.stderr).toContain('LONGHAUL_WORKERS: ');
    const right = await home.run(['doctor'], { env: { LONGHAUL_LOG_LEVEL: 'debug' } });
    expect(right.stderr).toContain('private redis is up');
    expect((await home.run(['doctor'])).stderr).toBe('');
  });

  it('reports a data folder that is not private instead of giving up', async () => {
    const home = await cliHome();
    await mkdir(home.dataDir);
    await chmod(home.dataDir, 0o777);
    const { code, stdout } = await home.run(['doctor', '--json']);
    expect(code).toBe(1);
    expect(find(stdout, 'Data folder')).toMatchObject({ status: 'fail', mend: `chmod 700 '${home.dataDir}'` });
    expect(find(stdout, 'Redis')?.status).toBe('fail');
    expect(find(stdout, 'Node.js')?.status).toBe('ok');
  });
});
