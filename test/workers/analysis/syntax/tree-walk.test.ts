/** The walk within the parser's memory against the parser's own cursor: the same nodes, names and places, in every grammar. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs of other languages.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import { createMemoryWalk } from '../../../../workers/analysis/syntax/memory-walk.js';
import type { PlaceVisitor } from '../../../../workers/analysis/syntax/node-place.js';
import { createTreeWalk, readAlike } from '../../../../workers/analysis/syntax/tree-walk.js';

declare const WebAssembly: { Memory: new (limits: { initial: number; maximum: number }) => { buffer: ArrayBuffer } };

const require = createRequire(import.meta.url);
const GRAMMAR_FOLDERS = ['@vscode/tree-sitter-wasm/wasm', '@repomix/tree-sitter-wasms/out'];
const SAMPLES: Readonly<Record<string, string>> = {
  javascript:
    'const a = async (x, {y = 2}) => { if (x?.b && y || !x) { return `t${y}`; } else for (const i of x) f(i); };\n// end\n',
  typescript:
    'export class A<T> extends B { private m?(a: number = 1): void { switch (a) { case 1: break; default: this.m?.(2) } } }\n',
  tsx: 'export const C = ({ a }: P) => <div key={a}>{a ? <b>é𝒳</b> : null}</div>;\n',
  python:
    '@dec\nasync def f(a, *b, c=1):\n    """doc"""\n    return [x for x in a if x and c or not b]\n\nclass K:\n    pass\n',
  go: 'package a\n\nfunc (s *S) F(a, b int) (c error) {\n\tswitch x := a.(type) {\n\tcase int: goto L\n\t}\nL:\n\treturn\n}\n',
  java: 'class A { @X int m(int... n) { l: for (;;) { if (n == null) continue l; else break; } return n ? 1 : 2; } }\n',
  c: '#define M(x) do { x; } while (0)\n/* é */ static int f(a, b) int a; char *b; { for (;;) if (a && b) goto e; e: return a ? 1 : 2; }\n',
  cpp: 'template <class T> auto A<T>::f(int a) -> int { for (auto x : v) [&] { return x <=> a; }(); return a and 1; }\n',
  'c-sharp': 'class A { int P { get => 1; set { F(value switch { 1 => 2, _ => 3 }); } } void F(int a) => a.B?.C(); }\n',
  rust: "impl<'a> T for A { fn f(&self, x: u8) -> u8 { match x { 1 if x > 0 => 'l: loop { break 'l }, _ => 2 } } }\n",
  ruby: 'class A\n  def f(a, b = 1)\n    return <<~T if a\n      text #{b}\n    T\n    a.each { |x| puts x unless x }\n  end\nend\n',
  php: '<html><?php function f($a, $b = 1) { foreach ($a as $k => $v): if ($v ?? $b) echo "x{$k}"; endforeach; } ?></html>\n',
  bash: 'f() {\n  case $1 in a|b) echo "${x:-1}" ;; esac\n  cat <<E\n$y\nE\n  [[ -f $1 && -d $2 ]] || exit\n}\n',
  swift: 'func f(_ a: Int?) -> Int { guard let b = a else { return 0 }; return b > 1 ? 2 : 3 }\n',
};

const memory = new WebAssembly.Memory({ initial: 512, maximum: 4096 });
await Parser.init({ wasmMemory: memory });
const parser = new Parser();
const walk = createMemoryWalk(memory);

function wasmOf(grammar: string): string {
  for (const folder of GRAMMAR_FOLDERS) {
    try {
      return require.resolve(`${folder}/tree-sitter-${grammar}.wasm`);
    } catch {}
  }
  throw new Error(`There is no grammar of ${grammar}.`);
}

async function use(grammar: string): Promise<void> {
  parser.setLanguage(await Language.load(wasmOf(grammar)));
}

function within<T>(text: string, look: (tree: Tree) => T): T {
  const tree = parser.parse(text);
  if (tree === null) throw new Error('nothing was parsed');
  try {
    return look(tree);
  } finally {
    tree.delete();
  }
}

/** The text itself, cut off, and with a stretch out of its midst, so that trees hold errors and missing tokens. */
function damaged(text: string): string[] {
  const places = [0.2, 0.45, 0.7, 0.9].map((part) => Math.floor(text.length * part));
  return [text, ...places.flatMap((at) => [text.slice(0, at), text.slice(0, at) + text.slice(at + 7), text.slice(at)])];
}

describe('the walk within the memory', () => {
  it.each(Object.keys(SAMPLES))('tells the same as the cursor of %s, whole and damaged', async (grammar) => {
    await use(grammar);
    const text = SAMPLES[grammar] ?? '';
    for (const variant of ['', '\n\n', ...damaged(text), ...damaged(text.repeat(12))])
      expect(
        within(variant, (tree) => readAlike(walk, tree)),
        variant,
      ).toBe(true);
  });

  it('tells the same as the cursor of our own sources', async () => {
    await use('typescript');
    const folder = new URL('../../../../workers/analysis/syntax/', import.meta.url);
    for (const name of readdirSync(folder))
      expect(
        within(readFileSync(new URL(name, folder), 'utf8'), (tree) => readAlike(walk, tree)),
        name,
      ).toBe(true);
  });

  it('names the very node it stands on, also when asked on the way back', async () => {
    await use('javascript');
    const types = within((SAMPLES.javascript ?? '').repeat(3), (tree) => {
      const seen: (readonly [number, number, number])[] = [];
      const note: PlaceVisitor['enter'] = (place) => {
        const { typeId, startIndex } = {
          ...place.node(),
          typeId: place.node().typeId,
          startIndex: place.node().startIndex,
        };
        seen.push([
          typeId - place.nodeTypeId,
          startIndex - place.startIndex,
          place.node().endPosition.row - place.endRow,
        ]);
      };
      walk(tree, { enter: note, leave: note });
      return seen;
    });
    expect(types.length).toBeGreaterThan(200);
    expect(types.every(([type, start, row]) => type === 0 && start === 0 && row === 0)).toBe(true);
  });

  it('is not relied on where the memory reads otherwise', async () => {
    await use('c');
    const other = { buffer: new ArrayBuffer(memory.buffer.byteLength) };
    const text = (SAMPLES.c ?? '').repeat(60);
    expect(within(text, (tree) => readAlike(createMemoryWalk(other), tree))).toBe(false);
    const careful = createTreeWalk(other);
    for (let times = 0; times < 3; times += 1) {
      const nodes = within(text, (tree) => {
        let count = 0;
        const enter = () => {
          count += 1;
        };
        careful(tree, { enter, leave: () => {} });
        return count - tree.rootNode.descendantCount;
      });
      expect(nodes).toBe(0);
    }
  });

  it('passes over dull leaves only, and still names the right nodes', async () => {
    await use('c');
    const dullLeaves = new Uint8Array(1 << 16).fill(1);
    const nodes = within((SAMPLES.c ?? '').repeat(5), (tree) => {
      const seen: string[] = [];
      walk(tree, {
        enter: (place) => void seen.push(`${place.node().type} ${place.node().childCount > 0}`),
        leave: () => {},
        dullLeaves,
      });
      return seen;
    });
    expect(nodes.filter((node) => node === 'function_definition true')).toHaveLength(5);
    expect(nodes).not.toContain('; false');
  });
});
