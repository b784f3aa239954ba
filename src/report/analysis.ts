/** What reports are made of: the result of `analyze_codebase` and the rows of its files, as far as they are shown. */

/** Files, lines and bytes of a language or of all. */
export interface LineCounts {
  readonly files: number;
  readonly lines: number;
  readonly code: number;
  readonly comments: number;
  readonly blanks: number;
  readonly bytes: number;
}

/** The sums of one language. */
export interface LanguageCounts extends LineCounts {
  readonly language: string;
}

/** One counted file. */
export interface FileRow {
  /** Relative to the scanned folder, with slashes. */
  readonly path: string;
  readonly language: string;
  readonly lines: number;
  readonly code: number;
  readonly comments: number;
  readonly blanks: number;
  readonly bytes: number;
  /** Decision points; absent where it was not measured. */
  readonly complexity?: number;
}

/** A function and how hard it is to follow. */
export interface FunctionComplexity {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly name: string;
  readonly language: string;
  readonly cyclomatic: number;
  readonly cognitive: number;
  readonly nesting: number;
}

/** Code that stands in several places; `places` names the first few of all `copies`. */
export interface Clone {
  readonly language: string;
  readonly lines: number;
  readonly tokens: number;
  readonly copies: number;
  readonly places: readonly { readonly path: string; readonly start_line: number; readonly end_line: number }[];
}

/** A file by how often it changes and how complex it is. */
export interface Hotspot {
  readonly path: string;
  readonly commits: number;
  readonly authors: number;
  readonly last_change: string;
  readonly complexity: number;
  readonly score: number;
}

/** What a metric came to; only one that did not fail has figures. */
export type Measured<Figures> =
  | (Figures & { readonly status: 'complete' })
  | (Figures & { readonly status: 'partial'; readonly reason: string })
  | { readonly status: 'failed'; readonly reason: string };

/** The metrics that reports show; absent unless asked for. */
export interface Metrics {
  readonly complexity?:
    | Measured<{
        readonly totals: { readonly decisions: number; readonly functions: number };
        readonly by_language: readonly { readonly language: string; readonly decisions: number }[];
        readonly hardest_functions: readonly FunctionComplexity[];
      }>
    | undefined;
  readonly duplication?:
    | Measured<{
        readonly totals: {
          readonly code_lines: number;
          readonly duplicated_lines: number;
          readonly percentage: number;
        };
        readonly clones: readonly Clone[];
        readonly clones_total: number;
      }>
    | undefined;
  readonly dependencies?:
    | Measured<{
        readonly totals: { readonly packages: number };
        readonly ecosystems: readonly {
          readonly ecosystem: string;
          readonly packages: number;
          readonly direct: number;
          readonly transitive: number;
          readonly unlocked: number;
        }[];
      }>
    | undefined;
  readonly coverage?:
    | Measured<{
        readonly reports_total: number;
        readonly lines: { readonly covered: number; readonly total: number };
        readonly percentage: number | null;
        readonly stale: boolean;
        readonly newest_report?: string | undefined;
        readonly least_covered: readonly { readonly path: string; readonly covered: number; readonly total: number }[];
      }>
    | undefined;
  readonly hotspots?:
    | Measured<{
        readonly history: { readonly source: string; readonly commits: number; readonly authors: number };
        readonly hotspots: readonly Hotspot[];
        readonly hotspots_total: number;
      }>
    | undefined;
}

/** Tables of which a result names only the first few rows; absent where they were not fetched. */
export interface MetricTables {
  readonly functions?: readonly FunctionComplexity[];
  readonly clones?: readonly Clone[];
  readonly hotspots?: readonly Hotspot[];
}

/** The result of `analyze_codebase`, as far as it is shown. */
export interface Analysis extends Metrics {
  readonly root: string;
  readonly job_id: string;
  readonly files_scanned: number;
  readonly skipped: number;
  readonly total_lines: number;
  readonly totals: LineCounts;
  readonly by_language: readonly LanguageCounts[];
  readonly largest_files: readonly {
    readonly path: string;
    readonly language: string;
    readonly lines: number;
    readonly bytes: number;
  }[];
  readonly skipped_files: readonly {
    readonly reason: string;
    readonly files: number;
    readonly examples: readonly string[];
  }[];
  /** How many of the files are hidden, where any is. */
  readonly hidden_files?: number | undefined;
  readonly submodules: readonly string[];
  readonly duration_ms: number;
}

/** Everything a report may show, in the order in which it is shown. */
export interface Report {
  readonly analysis: Analysis;
  /** Languages with their complexity where it was measured, in the order asked for. */
  readonly languages: readonly LanguageRow[];
  /** The rows of all files, where they were fetched. */
  readonly files?: readonly FileRow[];
  /** Files whose rows exist but could not be stored, hence are in no table. */
  readonly filesLeftOut: number;
  /** What rows are sorted by. */
  readonly sort: string;
  /** Whether tables are of files rather than of languages. */
  readonly byFile: boolean;
  /** How many rows a table may have; all if absent. */
  readonly top?: number;
  /** All rows of what metrics found, where they were fetched; `analysis` has them too. */
  readonly tables?: MetricTables;
  /** The whole structured result, for programs. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly productVersion: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A row of the language table. */
export interface LanguageRow extends LanguageCounts {
  readonly complexity?: number;
}
