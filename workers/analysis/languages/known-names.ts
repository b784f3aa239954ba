/**
 * Names of files that our own rows do not have, drawn from the package linguist-languages: language, mode of highlighting,
 * extensions, file names, interpreters, then the next. A test holds it to the package; `UPDATE=1 npx vitest run known-names` draws it anew.
 */
export const KNOWN_NAMES = `
1C Enterprise||bsl os|| ; 2-Dimensional Array||2da|| ; ABAP CDS||asddls|| ; AIDL||||aidl ; ALGOL|pascal|alg|| ; APL|apl|||apl aplx dyalog
ASL||asl dsl|| ; ASP.NET|htmlembedded|axd|| ; Aiken||ak|| ; Aleo||aleo|| ; Altium Designer||OutJob PcbDoc PrjPCB SchDoc||
Answer Set Programming||||clingo ; Ant Build System|xml||ant.xml| ; Antlers||antlers.html antlers.php antlers.xml||
ApacheConf||apacheconf|apache2.conf httpd.conf| ; Apollo Guidance Computer||agc|| ; Arc||arc|| ; Asymptote|clike|||asy ; AutoHotkey||ah1 ah2 ahkl||
B (Formal Method)||mch|| ; BAML|stylus|baml|| ; BBCode||bbcode|| ; BIRD2|||bird.conf| ; Batchfile|||gradlew.bat mvnw.cmd| ; Berry||be||
BibTeX|stex|bibtex|| ; Bison||bison|| ; BlitzBasic||decls|| ; Boogie||bpl||boogie ; Browserslist|||.browserslistrc browserslist| ; Bru||bru||
C#|clike|cs.pp linq|| ; C-ObjDump||c-objdump|| ; C2hs Haskell|haskell|chs|| ; CAP CDS||cds|| ; COLLADA|xml|dae||
Cabal Config|haskell|cabal|cabal.config cabal.project| ; CameLIGO|mllike|mligo|| ; Carbon||carbon||
Checksums||crc32 md2 md4 md5 sha1 sha2 sha224 sha256 sha256sum sha3 sha384 sha512|MD5SUMS SHA1SUMS SHA256SUMS SHA256SUMS.txt SHA512SUMS checksums.txt cksums md5sum.txt|
ChucK|clike|ck|| ; Cirru||cirru|| ; Clarion||clw|| ; Clarity||clar|| ; Click||click|| ; Clojure|clojure|boot cl2 cljs.hl cljscm hic|riemann.config|
Closure Templates|soy|soy|| ; Cloud Firestore Security Rules|css||firestore.rules| ; Clue||clue|| ; CoNLL-U||conllu conll||
CoffeeScript|coffeescript|_coffee coffee.erb|| ; Common Lisp|commonlisp|sexp|| ; Common Workflow Language|yaml|cwl||cwl-runner ; Cooklang||cook||
Cpp-ObjDump||cppobjdump c++-objdump c++objdump cpp-objdump cxx-objdump|| ; Creole||creole|| ; Csound||udo|| ; Cycript|javascript|cy||
Cylc||cylc|suite.rc| ; C|clike|h.in||tcc ; D-ObjDump||d-objdump|| ; DIGITAL Command Language||com|| ; DNS Zone||zone arpa|| ; Dafny||||dafny
Daslang||das|| ; DataWeave||dwl|| ; Dogescript||djs||
Dotenv|||.env.ci .env.dev .env.development.local .env.prod .env.sample .env.staging .env.template .env.testing| ; Dune|||dune-project|
Dylan|dylan|lid|| ; ECL|ecl|eclxml|| ; EJS|htmlembedded|ect ejs.t jst|| ; EQ|clike|eq|| ; Earthly|||Earthfile| ; Easybuild|python|eb||
Ecere Projects|javascript|epj|| ; Edge||edge|| ; Edje Data Collection|clike|edc|| ; Elixir|||mix.lock|
Emacs Lisp|commonlisp|emacs.desktop|.abbrev_defs .emacs.desktop .gnus .spacemacs .viper Eask Project.ede abbrev_defs|
EmberScript|coffeescript|em emberscript|| ; Erlang|erlang|app|Emakefile rebar.config.lock rebar.lock| ; Euphoria||||eui euiw ; E||||rune
FIGlet Font||flf|| ; FIRRTL||fir|| ; FLUX||flux|| ; FPP||fppi|| ; Factor|factor||.factor-boot-rc .factor-rc| ; Fancy|||Fakefile| ; Flix||flix||
Formatted||eam.fs|| ; Forth|forth|frt|| ; G-code||cnc|| ; GAML||gaml|| ; GAMS||gms|| ; GAP||gi|| ; GEDCOM||ged||
GLSL||fp frg fshader geo gshader vrx vs vshader|| ; GN|python||.gn|gn ; GSC|clike|gsc csc|| ; Gemfile.lock|||Gemfile.lock| ; Gemini||gmi||
Genero 4gl||4gl|| ; Genero per||per|| ; Genshi|xml|kid|| ; Gerber Image||gbr cmp gbl gbo gbp gbs gko gpb gpt gtl gto gtp||gerbv gerbview
Gherkin|gherkin|story|| ; Git Commit|||.gitmessage COMMIT_EDITMSG| ; Git Config|properties|gitconfig|.tgitconfig config.worktree|
Git Revision List|||.git-blame-ignore-revs| ; Glyph|tcl|glf|| ; Gno|go|gno|| ; Gnuplot||plot|| ; Go Template|||_helpers.tpl|
Godot Resource||gdnlib gdns|project.godot| ; Gosu||vark|| ; Grace||grace|| ; Gradle Kotlin DSL||gradle.kts|| ; Grammatical Framework|haskell|gf||
Groovy Server Pages|htmlembedded|gsp|| ; GtkRC|ruby|gtkrc|gtkrc gtkrc-2.0| ; HAProxy|||haproxy.cfg| ; HCL|ruby|tofu|| ; HIP|clike|hip||
HOCON||hocon|.scalafix.conf .scalafmt.conf| ; HTML+ERB|htmlembedded|erb.deface|| ; HTML+PHP|php|phtml|| ; Haml|haml|haml.deface|| ; Harbour||hb||
Haskell|haskell|||runhugs ; Hosts File|||hosts.txt| ; Hurl||hurl|| ; IDL|idl|dlm|| ; IGOR Pro||ipf||
INI|properties|container|.buckconfig .gitreview vlcrc| ; IRC log|mirc|irclog weechatlog||
Ignore List|shell|gitignore|.agignore .atomignore .babelignore .bzrignore .ckignore .coffeelintignore .cvsignore .easignore .eleventyignore .eslint-ignore .ignore .markdownlintignore .nodemonignore .rgignore .stylelintignore .vercelignore .vscodeignore gitignore-global gitignore_global|
ImHex Pattern Language|clike|hexpat|| ; ImageJ Macro||ijm|| ; Ink||ink|| ; Inno Setup||isl|| ; Ioke||||ioke ; Io||||io ; Isabelle ROOT|||ROOT|
JAR Manifest|||MANIFEST.MF|
JSON with Comments|javascript|hujson sublime-build sublime-color-scheme sublime-commands sublime-completions sublime-keymap sublime-macro sublime-menu sublime-mousemap sublime-theme sublime-workspace sublime_metrics sublime_session tsconfig.json|.devcontainer.json .jslintrc .oxlintrc.json api-extractor.json language-configuration.json tslint.json|
JSONLD|javascript|jsonld||
JSON|javascript|4DForm 4DProject JSON-tmLanguage slnlaunch tfstate.backup|.all-contributorsrc .auto-changelog .c8rc .imgbotconfig .nycrc .secrets.baseline .tern-config MODULE.bazel.lock Package.resolved bun.lock deno.lock mcmod.info|
Jac||jac|| ; Jai||jai|| ; Java Template Engine||jte|| ; JavaScript+ERB|javascript|js.erb||
JavaScript|javascript|_js jake javascript jsb jscad jsfl jslib jspre jss njs pac sjs xsjs xsjslib|Jakefile|chakra d8 gjs js qjs rhino v8 v8-shell
Jest Snapshot|javascript|snap|| ; JetBrains MPS|xml|msd|| ; Jison Lex||jisonlex|| ; Jison||jison|| ; Jolie||||jolie
Jupyter Notebook|javascript||Notebook| ; Just|||.JUSTFILE .Justfile| ; J||||jconsole ; KCL|||kcl.mod kcl.mod.lock| ; Kaitai Struct|yaml|ksy||
KakouneScript|||kakrc| ; KiCad Layout|commonlisp|kicad_wks|fp-lib-table| ; Kit|htmlmixed|kit|| ; Koka||||koka ; Kusto||kql|| ; LSL||lslp||lsl
LabVIEW|xml|lvclass|| ; Langium||langium|| ; Lark|ebnf|lark|| ; Lasso||lasso8 lasso9|| ; Latte|smarty|latte|| ; Leo||leo|| ; Lex|||Lexer.x lexer.x|
LigoLANG|pascal|ligo|| ; Linker Script|||ld.script| ; Liquidsoap||liq|| ; Literate CoffeeScript||litcoffee coffee.md||
LiveCode Script||livecodescript|| ; LiveScript|livescript|_ls|| ; Lobster||lobster|| ; Logos||xi|| ; Luau|lua|||luau ; Lua|lua|rbxs|.luacheckrc|
M3U||m3u m3u8|| ; MLIR||mlir|| ; MUF|forth|muf|| ; Macaulay2||||M2
Makefile|cmake|makefile|Makefile.boot Makefile.frag Makefile.pc Makefile.wat makefile.sco mkfile| ; Markdown|gfm|mkdown workbook||
Max|javascript|maxproj mxt pat|| ; MeTTa||metta|| ; Mercury||||mmi ; MiniD||minid|| ; MiniZinc Data||dzn|| ; MiniZinc||mzn|| ; Mint||mint||
Modula-3||i3 ig m3 mg|| ; Module Management System||mms mmk|descrip.mmk descrip.mms| ; Monkey||monkey2|| ; MoonBit||mbt|| ; Motorola 68K Assembly||x68||
Myghty||myt|| ; NASL||nasl|| ; NEON||neon|| ; NWScript|clike|nss|| ; Nearley||ne nearley|| ; NetLinx+ERB||axs.erb axi.erb||
Nextflow|||nextflow.config| ; Nim||nim.cfg nimrod|nim.cfg| ; NumPy|python|numpy numpyw numsc|| ; Nu|scheme||Nukefile|nush
OCaml|mllike|eliomi||ocamlscript ; OMNeT++ NED||ned|| ; Objective-J||sj|| ; Omgrofl||omgrofl|| ; Opal||opal|| ; Opa||opa||
OpenRC runscript|shell|||openrc-run ; OpenStep Property List||glyphs|| ; Option List|shell||.ackrc .rspec .yardopts ackrc mocha.opts|
OverPy|python|opy|| ; OverpassQL||overpassql|| ; Oxygene||oxygene|| ; Ox||ox oxh oxo|| ; PHP|php|aw|.php .php_cs.dist Phakefile|
PL/SQL|sql|bdy spc tpb tps vw|| ; Pact||pact|| ; Pawn||pwn|| ; Pep8||pep|| ; Perl|perl||.latexmkrc latexmkrc| ; PicoLisp||||picolisp pil
Pic|troff|pic chem|| ; Pip Requirements|||dev-requirements.txt requirements-dev.txt requirements.lock.txt requirements.txt| ; Pkl||||pkl
Plain Text||no|CITATION CITATIONS COPYING.regex COPYRIGHT.regex FONTLOG INSTALL.mysql LICENSE.mysql README.me README.mysql README.nss README.pc click.me delete.me keep.me package.mask package.use.mask package.use.stable.mask read.me readme.1st test.me use.mask use.stable.mask|
Pod 6||pod6|| ; PogoScript||pogo|| ; Polar||polar|| ; Portugol||por|| ; Power Query||pq|| ; Praat||praat|| ; Promela||pml|| ; Propeller Spin||spin||
Puppet|puppet||Modulefile| ; Python traceback||pytb|| ; Python|python|gyp lmi pyt tac|DEPS|python2 python3 py pypy3 ; QMake||||qmake
Qt Script|javascript||installscript.qs toolchain_installscript.qs| ; Quake|||m3makefile m3overrides| ; Quint||qnt|| ; RAScript||rascript||
RBS|ruby|rbs|| ; REALbasic||rbbas rbfrm rbmnu rbres rbtbar rbuistate|| ; REBOL||r2 r3|| ; REXX||pprx|| ; RMarkdown|gfm|qmd rmd||
ROS Interface||action srv|| ; RPGLE||rpgle sqlrpgle|| ; Ragel||rl|| ; Raku|perl|p6l p6m|| ; Raw token data||raw|| ; Readline Config|||.inputrc inputrc|
ReasonLIGO|rust|religo|| ; Record Jar|properties||language-subtag-registry.txt| ; Redcode||cw|| ; Redirect Rules|||_redirects| ; Red||red||
Regular Expression||regexp regex|| ; Rhai||rhai|| ; Riot||riot|| ; Robots Exclusion Rules|||robots.txt|
Roff|troff|me|eqnrc mmn mmt troffrc troffrc-end| ; Rouge|clojure|rg|| ; RouterOS Script||||RouterOS
Ruby|ruby|eye god mspec prawn rbuild ruby watchr|.simplecov Buildfile Deliverfile Jarfile Mavenfile Puppetfile Snapfile Steepfile buildfile|
R|r|rd rhistory|.Rapp.history .Rhistory expr-dist| ; SELinux Policy||te|file_contexts genfs_contexts initial_sids port_contexts security_classes|
SMT||z3||boolector cvc4 mathsat5 opensmt smtinterpol smt-rat stp verit yices2 z3 ; SQF||sqf hqf||
SSH Config|||ssh-config ssh_config sshconfig sshconfig.snip sshd-config sshd_config| ; STL||stl|| ; STON||ston|| ; SWIG|clike|swig|| ; Sail||sail||
Scaml||scaml|| ; Scenic||scenic||scenic ; Scheme|scheme|||r6rs ; ShellCheck Config|properties||.shellcheckrc| ; ShellSession|shell|sh-session||
Shell|shell|pacscript sbatch sh.in slurm tmux zsh-theme|.bash_functions .bash_history .cshrc .flaskenv .kshrc .login .tmux.conf .xinitrc .xsession .zlogout 9fs bash_aliases bash_logout bash_profile cshrc kshrc login man mvnw profile tmux.conf xinitrc xsession zlogin zlogout zprofile zshenv|rc
Simple File Verification|properties|sfv|| ; Singularity|||Singularity| ; Slash||sl|| ; Smali||smali|| ; Soong|||Android.bp| ; SpiceDB Schema||zed||
Spline Font Database||sfd|| ; Starlark|python||BUILD.bazel MODULE.bazel Tiltfile WORKSPACE.bazel WORKSPACE.bzlmod| ; Stata||matah sthlp||
SuperCollider||||sclang scsynth ; SurrealQL||surql|| ; Sweave||rnw|| ; TI Program||8xp 8xp.txt|| ; TL-Verilog||tlv|| ; TMDL||tmdl||
TOML|toml|toml.example|Cargo.toml.orig mise.local.lock mise.lock| ; Talon||talon|| ; Tape||tape|| ; Tcl|tcl|tcl.in|owh starfield|
TeX|stex|aux lbx mkii mkiv mkvi|| ; Teal|lua|||tl ; Tea||tea|| ; Terraform Template|ruby|tftpl|| ; Texinfo||||makeinfo ; TextGrid||TextGrid||
TextMate Properties|properties||.tm_properties| ; Toit||toit|| ; Tolk|stylus|tolk|| ; Tor Config|||torrc| ; Unified Parallel C|clike|upc||
Unity3D Asset|yaml|anim asset mat meta prefab unity|| ; Untyped Plutus Core||uplc|| ; VHDL|vhdl|vhf vhi vhs vhw|| ; Valve Data Format||vdf vmf||
Vento||vto|| ; Verse||verse|| ; Vespa Schema Definition||sd|| ; Vim Snippet||snip snippet snippets|| ; Vim script||vmb|.exrc .nvimrc gvimrc nvimrc|
WDL||wdl|| ; Wavefront Object||obj|| ; Web Ontology Language||owl|| ; WebAssembly Interface Type|webidl|wit|| ; WebIDL|webidl|webidl||
Wget Config|||.wgetrc| ; Whiley||whiley|| ; Wikitext||wikitext|| ; Witcher Script||ws||
Wolfram Language|mathematica|cdf ma mt nbp||wolfram WolframKernel math MathKernel MathematicaScript WolframNB Mathematica
X Font Directory Index|||encodings.dir fonts.alias fonts.dir fonts.scale| ; XCompose|||.XCompose XCompose xcompose|
XML Property List|xml|stTheme tmCommand tmLanguage tmPreferences tmSnippet tmTheme||
XML|xml|adml admx ant axml builds ccxml clixml cproject cscfg csdef ct depproj ditaval dll.config dotsettings gmx grxml hzp icls iml ivy jsproj launch mdpolicy meta4 mjml mxml natvis ndproj nproj odd osm pkgproj ps1xml psc1 pt pubxml qhelp rbxmx scxml sfproj slnx srdf sublime-snippet tml urdf ux vsixmanifest vssettings vstemplate vxml wsf wxi wxl wxs x3d xacro xml.dist xmp xproj xspec zcml|.cproject App.config NuGet.config Settings.StyleCop Web.Debug.config Web.Release.config Web.config packages.config|
XPages|xml|xsp-config xsp.metadata|| ; XQuery|xquery|xql|| ; XS|clike|xs|| ; Xmake|||xmake.lua|
Xojo||xojo_code xojo_menu xojo_report xojo_script xojo_toolbar xojo_window|| ; Xonsh|python|xsh|| ; YAML|yaml|yaml.sed yml.mysql|yarn.lock|
YASnippet||yasnippet|| ; Yul||yul|| ; ZAP||zap xzap|| ; ZIL||zil mud|| ; Zig||zig.zon|| ; Zimpl||zpl|| ; Zmodel||zmodel||
cURL Config|||.curlrc _curlrc| ; crontab|||crontab| ; desktop||desktop.in||
dircolors||dircolors|.dir_colors .dircolors DIR_COLORS _dir_colors _dircolors dir_colors| ; eC||eh|| ; hoon||hoon|| ; iCalendar|properties|ics ical||
jq||||gojq jaq jqjq jqq query-json ; mIRC Script||mrc|| ; mcfunction||mcfunction|| ; mupad||mu|| ; nanorc||nanorc|.nanorc nanorc| ; ooc||ooc||
pkg-config|properties|pc.in|| ; reStructuredText|rst|rst.txt|| ; sed||||gsed minised ssed ; ucode|javascript|||ucode ; wisp|clojure|wisp||
xBase||prg prw||
`;
