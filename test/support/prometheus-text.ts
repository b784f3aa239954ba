/** Reads the Prometheus text format strictly, as its specification has it (version 0.0.4), and judges what it holds. */

/** One value with the name of its series and its labels. */
export interface PromSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric; the samples of a histogram are those of its buckets, sums and counts. */
export interface PromFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly PromSample[];
}

/** The metrics of one scrape. */
export interface Scrape {
  readonly families: ReadonlyMap<string, PromFamily>;
  /** The sum of the samples of a series that have these labels; undefined if there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const METADATA = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** Parses a scrape; throws for whatever a strict reader would refuse. */
export function parseScrape(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line is not ended');
  const families = new Map<string, PromFamily & { samples: PromSample[] }>();
  const help = new Map<string, string>();
  let current: (PromFamily & { samples: PromSample[] }) | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name = '', rest = ''] = METADATA.exec(line) ?? [];
    if (kind === 'HELP') help.set(name, rest);
    if (kind === 'TYPE') {
      if (families.has(name)) throw new Error(`${name} comes twice`);
      if (!TYPES.includes(rest)) throw new Error(`${name} is of no known type: ${rest}`);
      current = { name, type: rest, help: help.get(name) ?? '', samples: [] };
      families.set(name, current);
    }
    if (kind !== undefined || line.startsWith('#')) continue;
    const sample = parseSample(line);
    if (!current || !belongs(sample.name, current)) throw new Error(`${line} stands under no metric of its own`);
    current.samples.push(sample);
  }
  for (const family of families.values()) judge(family);
  const all = [...families.values()].flatMap(({ samples }) => samples);
  return {
    families,
    value(name, labels = {}) {
      const found = all.filter((one) => one.name === name && has(one, labels));
      return found.length === 0 ? undefined : found.reduce((sum, one) => sum + one.value, 0);
    },
  };
}

function parseSample(line: string): PromSample {
  const [, name = '', inner = '', number = ''] = SAMPLE.exec(line) ?? [];
  // Prometheus reads numbers as Go does, whose NaN is of any case.
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number);
  if (name === '' || (Number.isNaN(value) && !/^nan$/i.test(number))) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const [, label = '', text = ''] = LABEL.exec(inner) ?? [];
    if (label === '' || label in labels) throw new Error(`labels are not as they should be: ${line}`);
    labels[label] = text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return { name, labels, value };
}

function belongs(name: string, { name: family, type }: PromFamily): boolean {
  if (type === 'histogram') return [`${family}_bucket`, `${family}_sum`, `${family}_count`].includes(name);
  if (type === 'summary') return [family, `${family}_sum`, `${family}_count`].includes(name);
  return name === family;
}

function judge({ name, type, help, samples }: PromFamily): void {
  if (help === '') throw new Error(`${name} has no help`);
  const keys = samples.map(({ name: series, labels }) => JSON.stringify([series, Object.entries(labels).sort()]));
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a series twice`);
  if (type === 'counter' && samples.some(({ value }) => value < 0)) throw new Error(`${name} counts below 0`);
  if (type === 'histogram') judgeHistogram(name, samples);
}

/** Buckets never fall, and the last one holds as many as are counted. */
function judgeHistogram(name: string, samples: readonly PromSample[]): void {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const before = new Map<string, number>();
  for (const { labels, value } of buckets) {
    const { le, ...of } = labels;
    const key = JSON.stringify(of);
    if (le === undefined) throw new Error(`${name} has a bucket without a bound`);
    if (value < (before.get(key) ?? 0)) throw new Error(`${name} has a bucket that holds less than a narrower one`);
    before.set(key, value);
  }
  for (const { labels, value } of samples.filter((sample) => sample.name === `${name}_count`))
    if (before.get(JSON.stringify(labels)) !== value) throw new Error(`${name} counts what is in no bucket`);
}

function has({ labels }: PromSample, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([label, value]) => labels[label] === value);
}
