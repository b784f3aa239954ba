/**
 * Records spans by OpenTelemetry and sends them as OTLP over HTTP. The packages read their standard `OTEL_*` variables by
 * themselves: endpoint, headers, sampler, limits, resource. Loaded only where these ask for it.
 */
import { randomUUID } from 'node:crypto';
import {
  createTraceState,
  DiagLogLevel,
  diag,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import { settlesWithin } from '../core/lifecycle.js';
import type { ProcessLog } from '../core/process-log.js';
import { type Span, type SpanStart, spanIdOf, type TraceContext, type Tracer } from '../core/tracing.js';

/** Who is traced. */
export interface OtelOptions {
  /** What OTEL_SERVICE_NAME overrides. */
  readonly service: string;
  readonly version: string;
  readonly log: ProcessLog;
}

const KINDS: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** A collector that is away is told of this often at most. */
const TROUBLE_MS = 60_000;

/** Builds the tracer; it sends in the background. */
export function createOtelTracer({ service, version, log }: OtelOptions): Tracer {
  tellTroubles(log);
  const own = resourceFromAttributes({
    'service.name': service,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const ids = createIds();
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
  const provider = new BasicTracerProvider({ resource, idGenerator: ids, spanProcessors });
  const tracer = provider.getTracer('longhaul', version);
  return {
    on: true,
    start(what, { kind, parent, attributes, startMs, name, links = [] }) {
      const within = parent && contextFrom(parent);
      const context = within ? trace.setSpanContext(ROOT_CONTEXT, within) : ROOT_CONTEXT;
      const options = {
        kind: KINDS[kind],
        links: links.map((link): Link => ({ context: contextFrom(link) })),
        ...(attributes && { attributes }),
        ...(startMs !== undefined && { startTime: startMs }),
      };
      const begin = () => tracer.startSpan(what, options, context);
      return spanOf(name === undefined ? begin() : ids.using(spanIdOf(name), begin), parent?.baggage);
    },
    async close(limitMs) {
      await settlesWithin(
        provider.shutdown().catch(() => undefined),
        limitMs,
      );
    },
  };
}

/** Random ids, save where a span is to have one that others can tell. */
function createIds() {
  const random = new RandomIdGenerator();
  let wanted: string | undefined;
  return {
    generateTraceId: () => random.generateTraceId(),
    generateSpanId: () => wanted ?? random.generateSpanId(),
    using<T>(id: string, begin: () => T): T {
      wanted = id;
      try {
        return begin();
      } finally {
        wanted = undefined;
      }
    },
  };
}

function contextFrom({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  const state = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) };
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true, ...state };
}

function spanOf(span: OtelSpan, baggage: string | undefined): Span {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const tracestate = traceState?.serialize();
  let ended = false;
  return {
    context: {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      ...(tracestate && { tracestate }),
      ...(baggage !== undefined && { baggage }),
    },
    logFields: { trace_id: traceId, span_id: spanId },
    set(attributes) {
      if (!ended) span.setAttributes(attributes);
    },
    fail(type) {
      if (ended) return;
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end(atMs) {
      if (!ended) span.end(atMs);
      ended = true;
    },
  };
}

/** What the packages complain of, such as a collector that does not answer. Their words may quote headers, so only the first line counts. */
function tellTroubles(log: ProcessLog): void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  const tell = (message: string) => {
    if (performance.now() - toldAtMs < TROUBLE_MS) return;
    toldAtMs = performance.now();
    log.warn(
      { why: message.split('\n', 1)[0]?.slice(0, 300) },
      'spans could not be sent; see OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
