/** Reads docker-compose.yml and the Dockerfile as far as the product's promises and a run without Docker need them. */
import { parse } from 'yaml';
import { z } from 'zod';

const healthcheck = z.union([
  z.object({ disable: z.literal(true) }),
  z.object({ test: z.array(z.string()), interval: z.string(), retries: z.number(), start_period: z.string() }),
]);

/** Loose, since only what is judged or run here is named; compose itself checks the rest where it is installed. */
const service = z.object({
  image: z.string(),
  build: z.string().optional(),
  profiles: z.array(z.string()).default([]),
  user: z.string(),
  restart: z.string(),
  read_only: z.boolean(),
  tmpfs: z.array(z.string()),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  container_name: z.string().optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  deploy: z.object({ replicas: z.number() }).optional(),
  stop_grace_period: z.string().default('10s'),
  healthcheck: healthcheck.optional(),
});

/** The services that are always there by name, and those of a profile. */
const composeSchema = z.object({
  services: z.object({
    redis: service,
    'ops-token': service,
    frontend: service,
    worker: service,
    prometheus: service,
    grafana: service,
  }),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.unknown()),
});

/** One service of the file. */
export type ComposeService = z.infer<typeof service>;

/** See `composeSchema`. */
export type Compose = z.infer<typeof composeSchema>;

/** Parses the text of a compose file, YAML merges included; throws with what is amiss. */
export function readCompose(text: string): Compose {
  return composeSchema.parse(parse(text, { merge: true }));
}

/** Fills in `${NAME}` and `${NAME:-default}` as compose does. */
export function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback = '') => env[name] || fallback);
}

/** The value of an option of a command line. */
export function optionOf(command: readonly string[], name: string): string | undefined {
  const at = command.indexOf(name);
  return at < 0 ? undefined : command[at + 1];
}

/** A JSON list that an instruction of a Dockerfile holds, such as `ENTRYPOINT ["a"]` or `HEALTHCHECK … CMD ["a"]`. */
export function instructionOf(dockerfile: string, name: string): string[] {
  const line = dockerfile.split('\n').find((one) => one.startsWith(`${name} `)) ?? '';
  return z.array(z.string()).parse(JSON.parse(line.slice(line.indexOf('['))));
}

/** Milliseconds of `90s` or `2m`. */
export function durationMs(text: string): number {
  const [, count, unit] = /^(\d+)(s|m)$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`expected a duration such as 30s, got ${text}`);
  return Number(count) * (unit === 'm' ? 60_000 : 1_000);
}
