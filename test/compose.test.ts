/** Holds docker-compose.yml and the Dockerfile to what the guides promise: durable, private, pinned, unprivileged. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROGRAM } from './support/program.js';
import { type ComposeService, optionOf, readCompose } from './topology/compose-file.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const NUMERIC_USER = /^[1-9]\d*:[1-9]\d*$/;
const EXACT_VERSION = /:v?\d+\.\d+\.\d+(-[\w.]+)?$/;

const compose = readCompose(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'));
const { services, networks, volumes } = compose;
const { redis, frontend, worker, prometheus, grafana } = services;
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
    expect(testOf(redis).join(' ')).toContain('redis-cli ping | grep -q PONG');
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
    const isOneShot = of.restart === 'no';
    const has = testOf(of).length > 0 || (build === '.' && healthCheck() !== undefined);
    expect(has).toBe(true);
    expect(of.healthcheck !== undefined && 'disable' in of.healthcheck).toBe(isOneShot);
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
    expect(depends_on.redis).toEqual({ condition: 'service_healthy' });
    expect(environment.LONGHAUL_REDIS_URL).toBe('redis://redis:6379');
  });

  it('sees the workspace read-only, at the same place', () => {
    expect(volumes[0]).toMatch(/^\$\{WORKSPACE:-\.\}:\/workspace:ro$/);
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
    expect(frontend.ports).toEqual(['127.0.0.1:3000:3000', '127.0.0.1:9100:9100']);
    expect(worker.ports).toEqual([]);
  });

  it('let workers scale: they claim no name and no port', () => {
    expect(worker.container_name).toBeUndefined();
    expect(worker.deploy?.replicas).toBe(2);
    expect(worker.ports).toEqual([]);
  });
});

describe.each([
  ['front end', frontend, '--port'],
  ['worker', worker, '--ops-port'],
] as const)('the health of the %s', (_name, service, option) => {
  it('is what it says of itself on the port it listens on', () => {
    const script = testOf(service).at(-1) ?? '';
    const port = optionOf(service.command, option);
    expect(testOf(service).slice(0, 3)).toEqual(['CMD', 'node', '-e']);
    expect(script).toContain(`http://127.0.0.1:${port}/readyz`);
    // Nobody listens on port 9: the script itself runs, and says so.
    const said = spawnSync(process.execPath, ['-e', script.replace(`:${port}`, ':9')], { encoding: 'utf8' });
    expect({ status: said.status, stderr: said.stderr }).toEqual({ status: 1, stderr: '' });
  });
});

describe('what operators see', () => {
  const yaml = (path: string): unknown => parse(readFileSync(join(ROOT, path), 'utf8'));

  it('is there without a profile for the front end alone, and only on this host', () => {
    const optional = Object.entries(services).filter(([, { profiles }]) => profiles.length > 0);
    expect(optional.map(([name]) => name)).toEqual(['prometheus', 'grafana']);
    for (const { ports } of Object.values(services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it('needs a token that is made by the installation and stands in no file', () => {
    const { volumes: made, restart } = services['ops-token'];
    expect(restart).toBe('no');
    expect(made).toEqual(['ops-token:/var/lib/longhaul']);
    expect(frontend.environment.LONGHAUL_OPS_TOKENS_FILE).toBe('/var/lib/longhaul/ops-tokens');
    expect(frontend.depends_on['ops-token']).toEqual({ condition: 'service_completed_successfully' });
    expect(frontend.volumes).toContain('ops-token:/var/lib/longhaul:ro');
    // A volume takes its owner from the folder of the image that it is first mounted at.
    expect(dockerfile).toContain('install -d -o node -g node /var/lib/longhaul');
    expect(frontend.command).not.toContain('--ops-write');
  });

  it('is scraped at the port and with the token of the front end, and judged by the alert rules', () => {
    const target = `frontend:${optionOf(frontend.command, '--ops-port')}`;
    expect(prometheus.volumes).toContain('./ops/prometheus:/etc/prometheus:ro');
    expect(prometheus.volumes).toContain('ops-token:/var/lib/longhaul:ro');
    expect(prometheus.networks.some((name) => frontend.networks.includes(name))).toBe(true);
    expect(yaml('ops/prometheus/prometheus.yml')).toMatchObject({
      rule_files: ['alerts.yml'],
      scrape_configs: [
        {
          job_name: 'longhaul',
          authorization: { credentials_file: '/var/lib/longhaul/ops-token' },
          static_configs: [{ targets: [target] }],
        },
      ],
    });
    expect(yaml('ops/prometheus/alerts.yml')).toHaveProperty('groups');
  });

  it('is shown by a Grafana that finds Prometheus and the dashboard, and has no administrator to guess', () => {
    const dashboards = '/etc/longhaul/dashboards';
    expect(grafana.volumes).toContain('./ops/grafana/provisioning:/etc/grafana/provisioning:ro');
    expect(grafana.volumes).toContain(`./ops/grafana/longhaul.json:${dashboards}/longhaul.json:ro`);
    expect(readJson('ops/grafana/longhaul.json')).toMatchObject({ title: 'Longhaul' });
    expect(yaml('ops/grafana/provisioning/dashboards/longhaul.yml')).toMatchObject({
      providers: [{ type: 'file', options: { path: dashboards } }],
    });
    expect(yaml('ops/grafana/provisioning/datasources/longhaul.yml')).toMatchObject({
      datasources: [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }],
    });
    expect(grafana.environment).toMatchObject({
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
      GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
    });
  });

  it('finds every folder and file that is mounted from here', () => {
    const mounted = Object.values(services).flatMap(({ volumes }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const ours = mounted.filter((source) => source.startsWith('./'));
    expect(ours.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
    const named = mounted.filter((source) => /^[a-z]/.test(source));
    expect([...new Set(named)].sort()).toEqual(Object.keys(volumes).sort());
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
    expect(healthCheck()).toContain(`"${bin.longhaul}", "doctor", "--quick"]`);
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

function testOf({ healthcheck }: Pick<ComposeService, 'healthcheck'>): readonly string[] {
  return healthcheck && 'test' in healthcheck ? healthcheck.test : [];
}

function healthCheck(): string | undefined {
  return instructions.find((line) => line.startsWith('HEALTHCHECK '));
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}
