/** Reads XML as a stream of elements. Document types are passed over: no entity is ever defined, fetched or expanded. */
import { SaxesParser } from 'saxes';
import { FormatFault } from './fault.js';

/** Deeper documents are refused: no format read here nests half as deep. */
const MOST_DEPTH = 256;
/** How much is handed to the parser at a time. */
const SLICE_CHARACTERS = 1 << 16;
const PLACE = /^(\d+):(\d+): /;

/** The attributes of an element; ask with `Object.hasOwn` or through `attribute`. */
export type Attributes = Readonly<Record<string, string>>;

/** Who hears of a document's parts, in their order. */
export interface XmlListener {
  open(name: string, attributes: Attributes, line: number): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Reads a document; throws a `FormatFault` at its first fault, having told all that came before it. */
export function readXml(text: string, listener: XmlListener): void {
  const parser = new SaxesParser<{ position: true; xmlns: false }>({ position: true, xmlns: false });
  let depth = 0;
  parser.on('error', ({ message }) => {
    throw faultOf(message);
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > MOST_DEPTH)
      throw new FormatFault(`This nests deeper than ${MOST_DEPTH} elements.`, { line: parser.line });
    listener.open(name, attributes, parser.line);
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    listener.close?.(name);
  });
  parser.on('text', (piece) => listener.text?.(piece));
  parser.on('cdata', (piece) => listener.text?.(piece));
  for (let at = 0; at < text.length; at += SLICE_CHARACTERS) parser.write(text.slice(at, at + SLICE_CHARACTERS));
  parser.close();
}

function faultOf(message: string): FormatFault {
  const place = PLACE.exec(message);
  const reason = message.replace(PLACE, '').replace(/\.$/, '');
  if (place === null) return new FormatFault(`This is not XML: ${reason}.`);
  return new FormatFault(`This is not XML: ${reason}.`, { line: Number(place[1]), column: Number(place[2]) + 1 });
}

/** The value of an attribute; undefined where it is missing. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

/** An element with all that is in it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Attributes;
  readonly line: number;
  readonly children: XmlElement[];
  /** The text directly within, trimmed once the element is closed. */
  text: string;
}

/** Parses a small document whole; throws a `FormatFault`. */
export function parseXml(text: string): XmlElement {
  const top: XmlElement = { name: '', attributes: {}, line: 0, children: [], text: '' };
  const open = [top];
  readXml(text, {
    open(name, attributes, line) {
      const element: XmlElement = { name, attributes, line, children: [], text: '' };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    text(piece) {
      const inner = open.at(-1);
      if (inner !== undefined) inner.text += piece;
    },
    close() {
      const closed = open.pop();
      if (closed !== undefined) closed.text = closed.text.trim();
    },
  });
  return top.children[0] ?? top;
}

/** The elements at the end of a path of names below one. */
export function elementsAt(element: XmlElement, ...names: readonly string[]): XmlElement[] {
  let found = [element];
  for (const name of names) found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
}

/** The text of the first element at the end of a path of names; undefined where there is none or it is empty. */
export function elementText(element: XmlElement, ...names: readonly string[]): string | undefined {
  return elementsAt(element, ...names)[0]?.text || undefined;
}
