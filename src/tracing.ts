/** Opens the tracer of a process, if the standard variables of OpenTelemetry ask for one; nothing of it is loaded otherwise. */
import type { RawSettings } from './config.js';
import type { ProcessLog } from './core/process-log.js';
import { NO_TRACER, type Tracer } from './core/tracing.js';
import { productIdentity } from './identity.js';

/** Any of these says that there is somebody to send to. */
const ASKING = ['OTEL_TRACES_EXPORTER', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/** Milliseconds that a process which ends waits for its last spans to be taken. */
export const TRACES_LIMIT_MS = 1_000;

/** What the variables ask for: `off`, `otlp`, or something that is not offered, in words. */
export function tracingAsked(env: RawSettings): 'off' | 'otlp' | { readonly unsupported: string } {
  const value = (name: string) => env[name]?.trim() || undefined;
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || !ASKING.some(value)) return 'off';
  const exporters = (value('OTEL_TRACES_EXPORTER') ?? 'otlp').split(',').map((one) => one.trim());
  if (exporters.includes('none')) return 'off';
  if (!exporters.includes('otlp'))
    return { unsupported: `OTEL_TRACES_EXPORTER=${exporters.join(',')}; expected otlp or none` };
  const protocol = PROTOCOLS.map(value).find((given) => given !== undefined) ?? 'http/json';
  // Whoever takes protobuf over HTTP takes JSON at the same place (OTLP, OTLP/HTTP Request).
  if (protocol.startsWith('http/')) return 'otlp';
  return { unsupported: `the protocol ${protocol}; expected http/json, or http/protobuf, where JSON is sent` };
}

/** Opens the tracer; whatever it cannot do is told, and nothing is traced: no job fails for it. */
export async function openTracer(env: RawSettings, log: ProcessLog): Promise<Tracer> {
  const asked = tracingAsked(env);
  if (asked === 'off') return NO_TRACER;
  if (asked !== 'otlp') {
    log.warn({ asked: asked.unsupported }, 'nothing is traced: this is not offered');
    return NO_TRACER;
  }
  const { createOtelTracer } = await import('./trace/otel.js');
  return createOtelTracer({ service: 'longhaul', version: productIdentity().version, log });
}
