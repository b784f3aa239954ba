/** Does a part of a measurement of complexity; its progress is the number of files done. */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import type { Handler } from '../../src/core/tool.js';
import type { measurePart } from '../../src/tools/measure-part.js';
import type { Crew } from '../analysis/syntax/crew.js';
import { shownPart } from './metrics/complexity.js';
import { createComplexityTable } from './metrics/complexity-table.js';
import { type MetricWork, runDecisions, tallyComplexity } from './metrics/engines.js';
import { type OpenMetricCache, openForMetrics, saveAfterMetrics } from './metrics/metric-cache.js';
import { type Redacts, shownTables } from './metrics/shown-names.js';
import { pack, unpack } from './packed.js';

/** How the handler uses the machine. */
export interface MeasurePartOptions {
  /** Threads of one part; 0 to let the number of files and cores decide. */
  readonly threads: number;
  /** Threads that all measurements of this process share. */
  readonly crew: Crew;
  /** Opens what is remembered of earlier measurements; a part adds what it finds out. */
  readonly openMetricCache: OpenMetricCache;
  /** What is stored passes it. */
  readonly redactor: Redacts;
}

/** Builds the handler. Its files go into the table of its job; what it returns is bounded, however many they are. */
export function createMeasurePart(options: MeasurePartOptions): Handler<typeof measurePart> {
  const { threads, crew, openMetricCache, redactor } = options;
  return async (input, context) => {
    // This may be another machine than the one that listed the tree.
    const root = await resolveAllowedFolder(input.root, context.allowedFolders);
    const files = unpack(input.files) as string[];
    const cache = input.use_cache ? await openForMetrics(openMetricCache, root, context) : undefined;
    const work: MetricWork = {
      root,
      list: { files, handwritten: input.handwritten },
      maxFileBytes: input.max_file_bytes,
      threads: threads || undefined,
      crew,
      cache,
      signal: context.signal,
    };
    const onShare = (share: number) => context.progress({ progress: Math.round(share * files.length) });
    if (!input.functions) return { decisions: pack([...(await runDecisions(work, onShare))]) };
    const rows = createComplexityTable({ table: shownTables(context, redactor) });
    const { decisions, tally } = await tallyComplexity(work, onShare, rows.add);
    await rows.finish();
    await saveAfterMetrics(cache, context);
    return { decisions: pack([...decisions]), part: pack(await shownPart(tally.part(), redactor)) };
  };
}
