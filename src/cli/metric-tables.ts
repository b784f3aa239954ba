/** Fetches the tables of what metrics found, of which a result names only the first few rows. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Clone, FunctionComplexity, Hotspot, MetricTables } from '../report/analysis.js';
import type { ReadText } from './call-tool.js';
import { hasTable, numberOf, readTable, tableAddress, textOf } from './read-table.js';

/** Reads the tables that the job has written, each of which the server bounds. Throws as `readTable` does. */
export async function fetchMetricTables({ structuredContent }: CallToolResult, read: ReadText): Promise<MetricTables> {
  const rowsOf = async (section: string) =>
    hasTable(structuredContent, section)
      ? (await readTable(tableAddress(structuredContent, section), read)).rows
      : undefined;
  const functions = await rowsOf('functions');
  const clones = await rowsOf('clones');
  const hotspots = await rowsOf('hotspots');
  return {
    ...(functions && { functions: functions.map(functionRow) }),
    ...(clones && { clones: joinPlaces(clones) }),
    ...(hotspots && { hotspots: hotspots.map(hotspotRow) }),
  };
}

function functionRow(row: unknown): FunctionComplexity {
  return {
    file: textOf(row, 'file'),
    line: numberOf(row, 'line'),
    end_line: numberOf(row, 'end_line'),
    name: textOf(row, 'name'),
    language: textOf(row, 'language'),
    cyclomatic: numberOf(row, 'cyclomatic'),
    cognitive: numberOf(row, 'cognitive'),
    nesting: numberOf(row, 'nesting'),
  };
}

function hotspotRow(row: unknown): Hotspot {
  return {
    path: textOf(row, 'path'),
    commits: numberOf(row, 'commits'),
    authors: numberOf(row, 'authors'),
    last_change: textOf(row, 'last_change'),
    complexity: numberOf(row, 'complexity'),
    score: numberOf(row, 'score'),
  };
}

/** The table has a row for each place; those of one clone follow each other. */
function joinPlaces(rows: readonly unknown[]): Clone[] {
  const clones = new Map<number, Clone & { readonly places: Clone['places'][number][] }>();
  for (const row of rows) {
    const number = numberOf(row, 'clone');
    const known = clones.get(number) ?? {
      language: textOf(row, 'language'),
      lines: numberOf(row, 'lines'),
      tokens: numberOf(row, 'tokens'),
      copies: numberOf(row, 'copies'),
      places: [],
    };
    known.places.push({
      path: textOf(row, 'path'),
      start_line: numberOf(row, 'start_line'),
      end_line: numberOf(row, 'end_line'),
    });
    clones.set(number, known);
  }
  return [...clones.values()];
}
