/** Further languages known by their extension alone: only their blank lines are told from the rest. */
import type { Language } from './language.js';

/** One `Name: extensions` a line keeps a long list readable. */
const rows = `
4D: 4dm
ABC Notation: abc
AIDL: aidl
Alpine Abuild: abuild
AmbientTalk: at
AMPL: ampl
API Blueprint: apib
Augeas: aug
Befunge: befunge
Befunge-98: b98
BlitzMax: bmx
Blueprint: blp
BNF: bnf
CartoCSS: mss
CLIPS: clp
Component Pascal: cps
Cool: cool
Csound: csd orc sco
CWeb: cweb w
Dafny: dfy
Darcs Patch: darcspatch dpatch
Diff: diff patch rej
Dylan: dylan dyl intr
E-mail: eml mbox
Eagle: sch.eagle brd
Euphoria: eu
Fancy: fy fancypack
Font Data: bdf pfm afm
G-code: gcode gco nc
GAP: gap
Golo: golo
GraphML: graphml
HTTP: http
Inform 7: ni i7x
Inno Setup: iss
Intel HEX: ihex hex
Ioke: ik
ISPC: ispc
JFlex: flex jflex
Jasmin: j
Jolie: ol iol
KiCad: kicad_pcb kicad_sch kicad_mod kicad_sym
KRL: krl
LabVIEW: lvproj lvlib
Lasso: lasso las
LilyPond: ly ily
LSL: lsl
Mako: mako mao
Max: maxpat maxhelp
MAXScript: mcr
Mirah: druby duby mirah
Module Map: modulemap
Monkey: monkey
MQL: mq4 mq5 mqh
MTML: mtml
Muse: muse
NetLinx: axs axi
NetLogo: nlogo
Nit: nit
Nu: nush
ObjDump: objdump
OpenEdge ABL: p
Oz: oz
P4: p4
PDDL: pddl
Papyrus: psc
Parrot: parrot pasm pir
PEM: pem crt csr key
POV-Ray: pov
PowerBuilder: pbt sra srw sru
Public Key: asc.pub pub
Pure Data: pd
QuakeC: qc
RAML: raml
RDoc: rdoc
REBOL: reb rebol
Ring: ring
RTF: rtf
RUNOFF: rnh rno
SMT: smt2 smt
SRT Subtitles: subrip vtt
SVN Dump: svndump
Sage: sage sagews
Self: self
Shen: shen
Sieve: sieve
SourcePawn: sma
SuperCollider: scd
Symbol Map: map symvers
Textile: textile
Turing: tu
TXL: txl
Uno: uno
Volt: volt
Wavefront: obj.wavefront mtl
Wollok: wlk
X BitMap: xbm
X PixMap: xpm
XC: xc
XProc: xpl xproc
XQuery: xquery xq xqm xqy
Yacas: yacas ys
YANG: yang
YARA: yar yara
Zeek: zeek bro
Zephir: zep
Zimpl: zimpl zmpl
`;

/** The rows. */
export const plain: readonly Language[] = rows
  .trim()
  .split('\n')
  .map((row) => {
    const [name = '', extensions = ''] = row.split(': ');
    return { name, extensions };
  });
