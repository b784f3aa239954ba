/** A collector of traces: takes OTLP over HTTP as JSON on a local port, and keeps the spans it was sent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './gate.js';

/** A span as it was sent. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** The process it comes from, and what this says of itself. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** See `startCollector`. */
export interface Collector {
  /** What points the product to it, with hardly any delay. */
  readonly env: Readonly<Record<string, string>>;
  /** All it was sent so far. */
  readonly spans: readonly SentSpan[];
  /** The paths that were asked for, and the Authorization of each. */
  readonly requests: readonly string[];
  /** Waits until the spans of a trace are as they should be. */
  trace(traceId: string, holds: (spans: readonly SentSpan[]) => boolean, what: string): Promise<readonly SentSpan[]>;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

const ERROR = 2;

/** Starts a collector on a free port. */
export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = [];
  const requests: string[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    requests.push(`${req.method} ${req.url} ${req.headers.authorization ?? ''}`.trim());
    spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '50' },
    spans,
    requests,
    trace: (traceId, holds, what) =>
      until(() => spans.filter((span) => span.traceId === traceId), holds, { what, limitMs: 60_000 }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans }: Body): SentSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        attributes: valuesOf(span.attributes ?? []),
        failed: span.status?.code === ERROR,
        startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** What of a trace hangs on nothing that is known: neither on another of its spans, nor on the client's. */
export function unconnected(spans: readonly SentSpan[], clientSpanId: string): readonly SentSpan[] {
  const known = new Set([clientSpanId, ...spans.map(({ spanId }) => spanId)]);
  return spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
}
