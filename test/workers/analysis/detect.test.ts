/** Which language a file is of: by name, by shebang line, by content where names are shared. */
import { describe, expect, it } from 'vitest';
import { detectLanguage, extensionOf } from '../../../workers/analysis/detect.js';
import { languages } from '../../../workers/analysis/languages/index.js';

const nameOf = (file: string, content = '') => detectLanguage(file, Buffer.from(content)).name;

describe('the language of a file', () => {
  it.each([
    ['Dockerfile', '', 'Dockerfile'],
    ['Dockerfile.dev', '', 'Dockerfile'],
    ['dev.Dockerfile', '', 'Dockerfile'],
    ['GNUmakefile', '', 'Makefile'],
    ['Makefile.boot', '', 'Makefile'],
    ['CMakeLists.txt', '', 'CMake'],
    ['a.blade.php', '', 'Blade'],
    ['a.php', '', 'PHP'],
    ['a.S', '', 'GNU Assembly'],
    ['a.C', '', 'C++'],
    ['A.PY', '', 'Python'],
    ['a.R', '', 'R'],
    ['.bashrc', '', 'Shell'],
    ['README', '', 'Plain Text'],
    ['readme.MD', '', 'Markdown'],
    ['tsconfig.json', '', 'JSON with Comments'],
    ['unknown', 'text', 'Other'],
    ['a.unknown', '#!/usr/bin/awk -f\n', 'AWK'],
    ['tool', '#!/usr/bin/python3.11 -u\n', 'Python'],
    ['tool', '#!/usr/bin/env -S LANG=C node --no-warnings\n', 'JavaScript'],
    ['tool', '#! /bin/sh\r\n', 'Shell'],
    ['tool', '#!\n', 'Other'],
    ['tool', '#!/usr/bin/python3.12-dbg\n', 'Python'],
    ['tool', '#!/usr/bin/env -S -i PATH=/bin ruby2.7\n', 'Ruby'],
    ['tool', '#!/usr/bin/env -u HOME ruby\n', 'Ruby'],
    ['tool', '#!/usr/bin/env -S -iu HOME --chdir /tmp ruby\n', 'Ruby'],
    ['tool', '#!/usr/bin/env --unset=HOME -vS ruby -w\n', 'Ruby'],
    ['tool', '#!/usr/bin/env -Sruby -w\n', 'Ruby'],
    ['tool', '#!/usr/bin/env --split-string="ruby" -w\n', 'Ruby'],
    ['tool', "#!/usr/bin/env -S 'ruby' -u x\n", 'Ruby'],
    ['tool', 'x = 1\n# vim: set ts=4 ft=python :\n', 'Python'],
    ['tool', `# vim:ft=ruby\n${'x\n'.repeat(99)}`, 'Ruby'],
    ['tool', '; vi: se filetype=lisp:\n', 'Common Lisp'],
    ['tool', ';;; -*- mode: emacs-lisp; coding: utf-8 -*-\n', 'Emacs Lisp'],
    ['tool', '// -*- C++ -*-\n', 'C++'],
    ['tool', '#!/bin/sh\n# -*- coding: utf-8; mode: tcl -*-\nexec tclsh "$0"\n', 'Tcl'],
    ['tool', '# -*- coding: utf-8 -*-\n', 'Other'],
    ['tool', 'see vim: it has ft, and x=python\n', 'Other'],
    ['a.unknown', '# vim: syntax=perl\n', 'Perl'],
    ['a.py', '# -*- mode: ruby -*-\n', 'Python'],
    ['a.inc', '; vim: ft=asm\n<?php\n', 'Assembly'],
    ['a.h', '/* -*- C++ -*- */\nint f(void);\n', 'C++ Header'],
    ['a.h', '/* -*- mode: c -*- */\nclass x {\n', 'C Header'],
    ['a.h', 'int f(void);\n', 'C Header'],
    ['a.h', 'namespace x {\n', 'C++ Header'],
    ['a.h', '@interface X : NSObject\n', 'Objective-C Header'],
    ['a.m', '#import <Foundation/Foundation.h>\n', 'Objective-C'],
    ['a.m', 'function y = f(x)\n% c\n', 'MATLAB'],
    ['a.m', '(* c *)\n', 'Mathematica'],
    ['a.v', 'module top(input clk);\nendmodule\n', 'Verilog'],
    ['a.v', 'Theorem t : True.\n', 'Coq'],
    ['a.v', 'fn main() {\n', 'V'],
    ['a.ts', 'export const x = 1;\n', 'TypeScript'],
    ['a.ts', '<?xml version="1.0"?>\n<!DOCTYPE TS>\n', 'Qt Linguist'],
    ['a.pl', 'use strict;\n', 'Perl'],
    ['a.pl', ':- module(x, []).\n', 'Prolog'],
    ['a.d', 'import std.stdio;\n', 'D'],
    ['a.d', 'main.o: main.c main.h\n', 'Makefile'],
    ['a.fs', 'module X\n', 'F#'],
    ['a.cls', '\\ProvidesClass{x}\n', 'TeX'],
    ['a.pp', 'unit x;\ninterface\n', 'Pascal'],
    ['a.pp', 'class x {\n', 'Puppet'],
    ['a.inc', '<?php\n', 'PHP'],
    ['tool', '#!/bin/sh\n# the next line restarts using tclsh \\\nexec tclsh8.6 "$0" "$@"\n', 'Tcl'],
    ['tool', '#!/usr/bin/env bash\nexec /opt/bin/scala "$0" "$@"\n!#\n', 'Scala'],
    ['tool', "#!/bin/sh\n'''exec' python3 -u -- \"$0\" \"$@\"\n'''\n", 'Python'],
    ['tool', '#!/bin/sh\n[ "$1" ] || exec sudo "$0" x\nexec tool "$0"\n', 'Shell'],
    ['tool', '#!/bin/sh\nx=1\n\n\n\n\nexec tclsh "$0"\n', 'Shell'],
    ['a.v', '// c\nmodule top (\n  input clk);\nalways @(*) begin\n', 'Verilog'],
    ['a.v', '(* keep = "true" *) module top(a);\n', 'Verilog'],
    ['a.v', '`default_nettype none\n', 'Verilog'],
    ['a.v', '(** The input\n  output is always true *)\nRequire Import Arith.\n', 'Coq'],
    ['a.v', 'module main\n\nfn main() {\n', 'V'],
    ['a.d', '#pragma D option quiet\nint x;\n', 'DTrace'],
    ['a.d', '/* c */\nprovider postgresql {\n  probe x();\n', 'DTrace'],
    ['a.d', 'BEGIN {\n  t = timestamp;\n}\n', 'DTrace'],
    ['a.d', 'syscall::read:entry\n/pid == 1/\n{\n', 'DTrace'],
    ['a.d', '$(OBJ)/x.o: a.c \\\n  b.h\n', 'Makefile'],
    ['a.d', 'struct S { int x; }\nvoid main() { auto s = S(1); }\n', 'D'],
    ['a.h', '#include <cstdint>\nint f();\n', 'C++ Header'],
    ['a.h', 'constexpr int X {3};\n', 'C++ Header'],
    ['a.h', 'enum class E { A };\n', 'C++ Header'],
    ['a.h', '#ifdef __cplusplus\nextern "C" {\n#endif\n#include <stdint.h>\nenum e { A };\n', 'C Header'],
    ['a.hh', '<?hh // strict\nclass A {}\n', 'Hack'],
    ['a.hh', 'class A {};\n', 'C++ Header'],
    ['a.m', '\t; a table of primes\n\n\tf p=2,3:2 s q=1\n', 'MUMPS'],
    ['a.m', 'sum(a,b)\n quit a+b\n', 'MUMPS'],
    ['a.m', 'x = [1 2\n  3 4];\n', 'MATLAB'],
    ['a.pl', '#!/usr/bin/env perl6\nsay 1;\n', 'Raku'],
    ['a.pl', '#!/usr/bin/env raku\nuse v6.d;\nmy $x;\n', 'Raku'],
    ['a.pm', 'my class A is B {\n}\n', 'Raku'],
    ['a.pm', 'use X;\nmodule Y;\n', 'Raku'],
    ['a.pm', 'package A;\nuse strict;\n', 'Perl'],
    ['a.cl', 'double run(int n)\n{\n  return n;\n}\n', 'OpenCL'],
    ['a.cl', 'class A inherits B {\n};\n', 'Cool'],
    ['a.cl', '(defun f ())\n', 'Common Lisp'],
    ['a.sc', 'Warp {\n  *new { ^super.new }\n}\n', 'SuperCollider'],
    ['a.sc', 'object A {\n}\n', 'Scala'],
    ['a.ice', '// c\nmodule M {\n', 'Slice'],
    ['a.ice', '{ "version": "1.2" }\n', 'JSON'],
    ['a.es', 'import a from "b";\n', 'JavaScript'],
    ['a.es', '#!/usr/bin/env escript\nmain(_) -> ok.\n', 'Erlang'],
    ['a.gs', 'function onOpen() {\n}\n', 'JavaScript'],
    ['a.gs', 'uses java.util.*\n', 'Gosu'],
    ['a.tsp', 'import "@typespec/http";\n', 'TypeSpec'],
    ['a.tsp', 'NAME : att48\n', 'Other'],
    ['a.sls', 'ceph:\n  pkg.installed:\n', 'SaltStack'],
    ['a.sls', '(library (a)\n', 'Scheme'],
    ['a.sch', '<?xml version="1.0"?>\n', 'XML'],
    ['a.sch', 'EESchema Schematic File Version 2\n', 'KiCad'],
    ['a.sch', '(define x 1)\n', 'Scheme'],
    ['a.yy', '{ "name": "x" }\n', 'JSON'],
    ['a.yy', '%{\n%}\n', 'Bison'],
    ['a.mm', '<map version="0.9">\n', 'XML'],
    ['a.mm', '#import <X/X.h>\n', 'Objective-C++'],
    ['a.rs', '#pragma version(1)\nvoid root() {}\n', 'RenderScript'],
    ['a.cs', "!A methodsFor: 'x'!\n", 'Smalltalk'],
  ])('%s holding %j is %s', (file, content, expected) => {
    expect(nameOf(file, content)).toBe(expected);
  });

  it('does not try each of many empty lines anew', () => {
    const heads = ['\n', ' \n', '\t\n'].map((piece) => Buffer.from(piece.repeat(2048)));
    const names = ['a.m', 'a.inc', 'a.pl', 'a.cls', 'a.d', 'a.st', 'a.pp', 'a.v', 'a.t'];
    const before = process.cpuUsage();
    for (const name of names) for (const head of heads) detectLanguage(name, head);
    const { user, system } = process.cpuUsage(before);

    // All together take a millisecond or two; a pattern that runs over line ends takes some hundred for one of them.
    expect((user + system) / 1000).toBeLessThan(300);
  });

  it('has one row for each name', () => {
    const names = languages.map(({ name }) => name);

    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('takes the last ending as the extension, and none from a dot file', () => {
    expect(['a.tar.GZ', '.gitignore', 'Makefile', 'a.', '__proto__.constructor'].map(extensionOf)).toEqual([
      'gz',
      '',
      '',
      '',
      'constructor',
    ]);
  });
});
