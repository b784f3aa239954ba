/** Reads the XML formats: Cobertura's and JaCoCo's, as streams. */
import { FormatFault } from '../formats/fault.js';
import { type Attributes, attribute, readXml, type XmlListener } from '../formats/xml.js';
import type { StatedReport } from './coverage.js';
import { createLineTable } from './line-table.js';

/** Reads a report by its root element. */
export function readXmlReport(text: string): StatedReport {
  let reader: XmlReader | undefined;
  readXml(text, {
    open(name, attributes, line) {
      reader ??= createReader(name, attributes, line);
      reader.open(name, attributes, line);
    },
    close: (name) => reader?.close?.(name),
    text: (piece) => reader?.text?.(piece),
  });
  if (reader === undefined) throw new FormatFault('This is not XML: it has no element.');
  return reader.report();
}

interface XmlReader extends XmlListener {
  report(): StatedReport;
}

function createReader(root: string, attributes: Attributes, line: number): XmlReader {
  if (root === 'report') return createJacocoReader();
  if (root === 'coverage' && attribute(attributes, 'line-rate') !== undefined) return createCoberturaReader();
  const kind =
    root === 'coverage' ? 'a coverage report without a line rate (Clover?)' : `an element '${root.slice(0, 40)}'`;
  throw new FormatFault(`Expected a Cobertura or a JaCoCo report, found ${kind}: write one of the two.`, { line });
}

/** Classes name their file; the lines of their methods stand there a second time. */
function createCoberturaReader(): XmlReader {
  const table = createLineTable();
  const roots: string[] = [];
  let writtenMs: number | undefined;
  let source: string | undefined;
  let path: string | undefined;
  return {
    open(name, attributes) {
      if (name === 'coverage') writtenMs = epochMs(attribute(attributes, 'timestamp'));
      if (name === 'source') source = '';
      if (name === 'class') {
        path = attribute(attributes, 'filename');
        if (path !== undefined) table.touch(path);
      }
      if (name !== 'line' || path === undefined) return;
      table.mark(path, Number(attribute(attributes, 'number')), Number(attribute(attributes, 'hits')) > 0);
    },
    text(piece) {
      if (source !== undefined && source.length < 5000) source += piece;
    },
    close(name) {
      if (name === 'class') path = undefined;
      if (name !== 'source' || source === undefined) return;
      if (source.trim() !== '') roots.push(source.trim());
      source = undefined;
    },
    report: () => ({ format: 'cobertura', files: table.files(), roots, writtenMs }),
  };
}

/** Seconds or milliseconds since 1970: tools write either. */
function epochMs(text: string | undefined): number | undefined {
  const value = Number(text);
  if (text === undefined || !Number.isFinite(value) || value <= 0) return undefined;
  return value < 1e11 ? value * 1000 : value;
}

/** Source files stand in packages; a line is covered if any of its instructions was. */
function createJacocoReader(): XmlReader {
  const table = createLineTable();
  let writtenMs: number | undefined;
  let folder = '';
  let path: string | undefined;
  return {
    open(name, attributes) {
      if (name === 'sessioninfo')
        writtenMs = Math.max(writtenMs ?? 0, epochMs(attribute(attributes, 'dump')) ?? 0) || undefined;
      if (name === 'package') folder = attribute(attributes, 'name') ?? '';
      if (name === 'sourcefile') {
        path = `${folder}/${attribute(attributes, 'name') ?? ''}`.replace(/^\//, '');
        table.touch(path);
      }
      if (name !== 'line' || path === undefined) return;
      table.mark(path, Number(attribute(attributes, 'nr')), Number(attribute(attributes, 'ci')) > 0);
    },
    close(name) {
      if (name === 'sourcefile') path = undefined;
    },
    report: () => ({ format: 'jacoco', files: table.files(), roots: [], writtenMs }),
  };
}
