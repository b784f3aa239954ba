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
