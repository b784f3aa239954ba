/** Holds docker-compose.yml and the Dockerfile to what the guides promise: durable, private, pinned, unprivileged. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROGRAM } from './support/program.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const NUMERIC_USER = /^[1-9]\d*:[1-9]\d*$/;
const EXACT_VERSION = /:\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Loose, since only what is judged here is named; compose itself checks the rest where it is installed. */
const service = z.object({
  image: z.string(),
  build: z.string().optional(),
  user: z.string(),
  read_only: z.boolean(),
  tmpfs: z.array(z.string()),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  command: z.array(z.string()),
  networks: z.array(z.string()),
  container_name: z.string().optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()), interval: z.string(), retries: z.number() }).optional(),
});
const compose = z.object({
  services: z.object({ redis: service, frontend: service, worker: service }),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.unknown()),
});

const { services, networks, volumes } = compose.parse(
  parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }),
);
const { redis, frontend, worker } = services;
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line));

describe('Redis in compose', () => {
  it('appends every accepted job to a file that outlives the container', () => {
    expect(optionOf(redis.command, '--appendonly')).toBe('yes');
    expect(optionOf(redis.command, '--appendfsync')).toBe('everysec');
    expect(redis.volumes).toEqual(['redis-data:/data']);
    expect(volumes).toHaveProperty('redis-data');
  });

  it('refuses new jobs rather than evict accepted ones', () => {
    expect(optionOf(redis.command, '--maxmemory')).toMatch(/^\d+mb$/);
    expect(optionOf(redis.command, '--maxmemory-policy')).toBe('noeviction');
  });

  it('is reached by the containers alone', () => {
    expect(redis.ports).toEqual([]);
    expect(redis.networks.filter((name) => !networks[name]?.internal)).toEqual([]);
  });

  it('is healthy once it answers, which it does not while it loads', () => {
    expect(redis.healthcheck?.test.join(' ')).toContain('redis-cli ping | grep -q PONG');
  });
});

describe.each(Object.entries(services))('the %s service', (_name, { image, build, ...of }) => {
  it('runs an image of one exact version', () => {
    expect(image).toMatch(EXACT_VERSION);
  });

  it('runs without root, capabilities or a writable root file system', () => {
    expect(of.user).toMatch(NUMERIC_USER);
    expect(of.cap_drop).toEqual(['ALL']);
    expect(of.security_opt).toContain('no-new-privileges:true');
    expect(of.read_only).toBe(true);
    expect(of.tmpfs.map((mount) => mount.split(':')[0])).toContain('/tmp');
  });

  it('has a health check, of its own or of the image built here', () => {
    expect(of.healthcheck !== undefined || (build === '.' && healthCheck() !== undefined)).toBe(true);
  });
});

describe.each([
  ['frontend', frontend],
  ['worker', worker],
])('the %s', (_name, { environment, depends_on, volumes, command }) => {
  it('is started by a command line that the program takes', () => {
    const env = { LONGHAUL_NAMESPACE: 'not one!' };
    const said = spawnSync(process.execPath, [PROGRAM, ...command], { env, encoding: 'utf8' });
    // The settings are read after the options: complaining of the setting means that no option was refused.
    expect(said.stderr).toContain('LONGHAUL_NAMESPACE: ');
  });

  it('waits for a healthy Redis and is told where it is', () => {
    expect(depends_on).toEqual({ redis: { condition: 'service_healthy' } });
    expect(environment.LONGHAUL_REDIS_URL).toBe('redis://redis:6379');
  });

  it('sees the workspace read-only, at the same place', () => {
    expect(volumes).toEqual([expect.stringMatching(/^\$\{WORKSPACE:-\.\}:\/workspace:ro$/)]);
  });
});

describe('the front end and the workers', () => {
  it('divide the work: one serves and the others run jobs', () => {
    expect(frontend.command[0]).toBe('http');
    expect(optionOf(frontend.command, '--workers')).toBe('0');
    expect(worker.command[0]).toBe('worker');
  });

  it('share the workspace, which the one that accepts paths allows', () => {
    expect(optionOf(frontend.command, '--root')).toBe('/workspace');
  });

  it('are reached over loopback, and over nothing else', () => {
    expect(frontend.ports).toEqual(['127.0.0.1:3000:3000']);
    expect(worker.ports).toEqual([]);
  });

  it('let workers scale: they claim no name and no port', () => {
    expect(worker.container_name).toBeUndefined();
    expect(worker.ports).toEqual([]);
  });
});

describe('the health of the front end', () => {
  it('is what it says of itself on the port it listens on', () => {
    const script = frontend.healthcheck?.test.at(-1) ?? '';
    expect(frontend.healthcheck?.test.slice(0, 3)).toEqual(['CMD', 'node', '-e']);
    expect(script).toContain(`http://127.0.0.1:${optionOf(frontend.command, '--port')}/readyz`);
    // Nobody listens on port 9: the script itself runs, and says so.
    const said = spawnSync(process.execPath, ['-e', script.replace(':3000', ':9')], { encoding: 'utf8' });
    expect({ status: said.status, stderr: said.stderr }).toEqual({ status: 1, stderr: '' });
  });
});

describe('the Dockerfile', () => {
  it('builds every stage on one exact version of Node.js', () => {
    const bases = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:20\.\d+\.\d+-bookworm-slim$/);
  });

  it('leaves root before it runs anything', () => {
    const names = instructions.map((line) => line.split(' ')[0]);
    expect(instructions).toContain('USER node');
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
  });

  it('checks health and runs the program that package.json names', () => {
    const { bin } = z.object({ bin: z.record(z.string(), z.string()) }).parse(readJson('package.json'));
    expect(healthCheck()).toContain(bin.longhaul);
    expect(instructions.find((line) => line.startsWith('ENTRYPOINT '))).toContain(bin.longhaul);
  });
});

describe('compose itself', () => {
  const answers = spawnSync('docker', ['compose', 'version'], { encoding: 'utf8' }).status === 0;

  it.skipIf(!answers)('accepts the file', () => {
    const said = spawnSync('docker', ['compose', 'config', '--quiet'], { cwd: ROOT, encoding: 'utf8' });
    expect({ status: said.status, stderr: said.stderr }).toMatchObject({ status: 0 });
  });
});

function optionOf(command: readonly string[], name: string): string | undefined {
  const at = command.indexOf(name);
  return at < 0 ? undefined : command[at + 1];
}

function healthCheck(): string | undefined {
  return instructions.find((line) => line.startsWith('HEALTHCHECK '));
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}
