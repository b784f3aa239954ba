;; Counts lines as `scan-lines.ts` does, 16 bytes at a time, and hands every token it does not know to it.
;;
;; `scan` runs until the text ends (0), a token stands at the cursor that only the other scanner can read (1), or the line
;; ends and something announced on it begins (2). What it has found by then lies in memory from 0 on, as `memory.ts` reads
;; it: cursor, line flags, start of the line, code, comments, blanks, depth of brackets, indentation of the scalar.
;;
;; Text marks are compared eight bytes at a time; the newline behind the text ends every comparison and every search. What
;; lies behind that newline is read too, in blocks, and masked: memory goes on for at least 80 bytes behind the text.
;; A language's tables are laid out by `tables.ts`; the offsets below are its.
(module
  (import "lexer" "memory" (memory 1))

  ;; Flags of the line the cursor stands in: 1 comment, 2 code.
  (global $line (mut i32) (i32.const 0))
  (global $lineStart (mut i32) (i32.const 0))
  (global $code (mut i32) (i32.const 0))
  (global $comments (mut i32) (i32.const 0))
  (global $blanks (mut i32) (i32.const 0))
  (global $depth (mut i32) (i32.const 0))
  ;; Where the text ends, where its first byte lies, where the part that is read begins.
  (global $end (mut i32) (i32.const 0))
  (global $first (mut i32) (i32.const 0))
  (global $origin (mut i32) (i32.const 0))
  ;; The indentation that the lines of an announced scalar exceed, or -1.
  (global $scalar (mut i32) (i32.const -1))
  ;; Whether a string waits for the end of an expression embedded in it.
  (global $framed (mut i32) (i32.const 0))

  ;; Books the line that ends at the newline `at`; the next one starts out holding `carried`.
  (func $break (param $at i32) (param $carried i32)
    (if (i32.ge_u (global.get $line) (i32.const 2))
      (then (global.set $code (i32.add (global.get $code) (i32.const 1))))
      (else
        (if (global.get $line)
          (then (global.set $comments (i32.add (global.get $comments) (i32.const 1))))
          (else (global.set $blanks (i32.add (global.get $blanks) (i32.const 1)))))))
    (global.set $line (local.get $carried))
    (global.set $lineStart (i32.add (local.get $at) (i32.const 1))))

  ;; Books the lines that end where `mask` has bits, one at least, counted from `at`; all but the first hold `carried` and nothing else.
  (func $breakAll (param $mask i32) (param $at i32) (param $carried i32)
    (call $break (i32.add (local.get $at) (i32.ctz (local.get $mask))) (local.get $carried))
    (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
    (if (i32.eqz (local.get $mask)) (then (return)))
    (if (i32.eq (local.get $carried) (i32.const 2))
      (then (global.set $code (i32.add (global.get $code) (i32.popcnt (local.get $mask)))))
      (else (global.set $comments (i32.add (global.get $comments) (i32.popcnt (local.get $mask))))))
    (global.set $lineStart (i32.add (local.get $at) (i32.sub (i32.const 32) (i32.clz (local.get $mask))))))

  ;; A bit for each of the 16 bytes from `at` on that belongs to the text.
  (func $within (param $at i32) (result i32)
    (if (result i32) (i32.ge_s (i32.sub (global.get $end) (local.get $at)) (i32.const 16))
      (then (i32.const 0xffff))
      (else (i32.sub (i32.shl (i32.const 1) (i32.sub (global.get $end) (local.get $at))) (i32.const 1)))))

  (func $least (param $a i32) (param $b i32) (result i32)
    (select (local.get $a) (local.get $b) (i32.lt_u (local.get $a) (local.get $b))))

  ;; The newline that ends the line of `at`.
  (func $endOfLine (param $at i32) (result i32)
    (local $mask i32)
    (loop $next
      (local.set $mask (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))))
      (if (local.get $mask) (then (return (i32.add (local.get $at) (i32.ctz (local.get $mask))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $next))
    (unreachable))

  ;; Letters, digits, underscore and every byte outside ASCII.
  (func $isWord (param $byte i32) (result i32)
    (i32.or
      (i32.or
        (i32.le_u (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61)) (i32.const 25))
        (i32.le_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 9)))
      (i32.or (i32.eq (local.get $byte) (i32.const 0x5f)) (i32.ge_u (local.get $byte) (i32.const 0x80)))))

  ;; White space other than a newline.
  (func $isSpace (param $byte i32) (result i32)
    (i32.and
      (i32.or
        (i32.eq (local.get $byte) (i32.const 0x20))
        (i32.le_u (i32.sub (local.get $byte) (i32.const 9)) (i32.const 4)))
      (i32.ne (local.get $byte) (i32.const 10))))

  (func $skipSpace (param $at i32) (result i32)
    (loop $next
      (if (call $isSpace (i32.load8_u (local.get $at)))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next))))
    (local.get $at))

  ;; The byte before `at`; a newline at the start of a line.
  (func $before (param $at i32) (result i32)
    (if (result i32) (i32.gt_u (local.get $at) (global.get $lineStart))
      (then (i32.load8_u (i32.sub (local.get $at) (i32.const 1))))
      (else (i32.const 10))))

  (func $opens (param $at i32) (param $token i32) (result i32)
    (i64.eqz (i64.and (i64.load offset=24 (local.get $token))
      (i64.xor (i64.load (local.get $at)) (i64.load offset=16 (local.get $token))))))

  (func $closes (param $at i32) (param $token i32) (result i32)
    (i64.eqz (i64.and (i64.load offset=40 (local.get $token))
      (i64.xor (i64.load (local.get $at)) (i64.load offset=32 (local.get $token))))))

  ;; White space, `;`, `&`, `|`, `(`, `)` or the start of the line.
  (func $isSeparator (param $byte i32) (result i32)
    (i32.or
      (i32.or
        (i32.or (i32.eq (local.get $byte) (i32.const 10)) (call $isSpace (local.get $byte)))
        (i32.or (i32.eq (local.get $byte) (i32.const 0x3b)) (i32.eq (local.get $byte) (i32.const 0x26))))
      (i32.or
        (i32.eq (local.get $byte) (i32.const 0x7c))
        (i32.eq (i32.and (local.get $byte) (i32.const 0xfe)) (i32.const 0x28)))))

  ;; Whether the word in which the apostrophe `at` stands begins with a digit; looks back 64 bytes at most.
  (func $followsNumber (param $at i32) (result i32)
    (local $i i32) (local $limit i32) (local $byte i32)
    (local.set $i (local.get $at))
    (local.set $limit (i32.sub (local.get $at)
      (call $least (i32.const 64) (i32.sub (local.get $at) (global.get $lineStart)))))
    (block $done
      (loop $back
        (br_if $done (i32.le_u (local.get $i) (local.get $limit)))
        (local.set $byte (i32.load8_u (i32.sub (local.get $i) (i32.const 1))))
        (br_if $done (i32.eqz (i32.or (call $isWord (local.get $byte)) (i32.eq (local.get $byte) (i32.const 0x27)))))
        (local.set $i (i32.sub (local.get $i) (i32.const 1)))
        (br $back)))
    (i32.and
      (i32.lt_u (local.get $i) (local.get $at))
      (i32.le_u (i32.sub (i32.load8_u (local.get $i)) (i32.const 0x30)) (i32.const 9))))

  ;; Whether the surroundings of the mark at `at` are what its token asks for. The places are numbered by `tables.ts`.
  (func $isPlaced (param $at i32) (param $token i32) (result i32)
    (local $after i32) (local $set i32)
    (local.set $after (i32.load8_u (i32.add (local.get $at) (i32.load8_u offset=5 (local.get $token)))))
    (local.set $set (i32.load offset=48 (local.get $token)))
    (if (local.get $set)
      (then (if (i32.load8_u (i32.add (local.get $set) (local.get $after))) (then (return (i32.const 0))))))
    (local.set $set (i32.load offset=52 (local.get $token)))
    (if (local.get $set)
      (then (if (i32.load8_u (i32.add (local.get $set) (call $before (local.get $at)))) (then (return (i32.const 0))))))
    (block $nondigit (block $word (block $spaced (block $indent (block $column0 (block $start (block $anywhere
      (br_table $anywhere $start $column0 $indent $spaced $word $nondigit (i32.load8_u offset=7 (local.get $token))))
      (return (i32.const 1)))
      (return (i32.eq (local.get $at) (global.get $origin))))
      (return (i32.eq (local.get $at) (global.get $lineStart))))
      (return (i32.eqz (global.get $line))))
      (return (call $isSeparator (call $before (local.get $at)))))
      (return (i32.eqz (i32.or (call $isWord (call $before (local.get $at))) (call $isWord (local.get $after))))))
    (i32.eqz (call $followsNumber (local.get $at))))

  ;; Reads a comment that ends with its line, and the lines on to which a backslash carries it.
  (func $readLine (param $at i32) (param $token i32) (result i32)
    (local $last i32)
    (global.set $line (i32.or (global.get $line) (i32.const 1)))
    (local.set $at (call $endOfLine (i32.add (local.get $at) (i32.load8_u offset=5 (local.get $token)))))
    (if (i32.eqz (i32.load8_u offset=9 (local.get $token))) (then (return (local.get $at))))
    (loop $next
      (if (i32.ge_u (local.get $at) (global.get $end)) (then (return (local.get $at))))
      (local.set $last (i32.sub (local.get $at) (i32.const 1)))
      (if (i32.eq (i32.load8_u (local.get $last)) (i32.const 0x0d))
        (then (local.set $last (i32.sub (local.get $last) (i32.const 1)))))
      (if (i32.ne (i32.load8_u (local.get $last)) (i32.const 0x5c)) (then (return (local.get $at))))
      (call $break (local.get $at) (i32.const 1))
      (local.set $at (call $endOfLine (i32.add (local.get $at) (i32.const 1))))
      (br $next))
    (unreachable))

  ;; Reads a comment between two marks; an open one runs to the end of the text.
  (func $readBlock (param $at i32) (param $token i32) (result i32)
    (local $bytes v128) (local $close v128) (local $close2 v128) (local $short v128) (local $open v128)
    (local $nests i32) (local $depth i32) (local $within i32) (local $limit i32) (local $hits i32) (local $breaks i32)
    (global.set $line (i32.or (global.get $line) (i32.const 1)))
    (local.set $depth (i32.const 1))
    (local.set $limit (i32.sub (global.get $end) (i32.const 16)))
    (local.set $nests (i32.load8_u offset=8 (local.get $token)))
    (local.set $close (v128.load8_splat offset=32 (local.get $token)))
    (local.set $close2 (v128.load8_splat offset=33 (local.get $token)))
    (local.set $short (i8x16.splat (i32.sub (i32.const 0) (i32.eq (i32.load8_u offset=6 (local.get $token)) (i32.const 1)))))
    (local.set $open (v128.load8_splat offset=16 (local.get $token)))
    (local.set $at (i32.add (local.get $at) (i32.load8_u offset=5 (local.get $token))))
    (loop $next
      (if (i32.ge_u (local.get $at) (global.get $end)) (then (return (global.get $end))))
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $hits (i8x16.bitmask (v128.and
        (i8x16.eq (local.get $bytes) (local.get $close))
        (v128.or (local.get $short) (i8x16.eq (v128.load offset=1 (local.get $at)) (local.get $close2))))))
      (if (local.get $nests)
        (then (local.set $hits (i32.or (local.get $hits)
          (i8x16.bitmask (i8x16.eq (local.get $bytes) (local.get $open)))))))
      (local.set $breaks (i8x16.bitmask (i8x16.eq (local.get $bytes) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))))
      (if (i32.gt_s (local.get $at) (local.get $limit))
        (then
          (local.set $within (call $within (local.get $at)))
          (local.set $hits (i32.and (local.get $hits) (local.get $within)))
          (local.set $breaks (i32.and (local.get $breaks) (local.get $within)))))
      (if (i32.eqz (local.get $hits))
        (then
          (if (local.get $breaks) (then (call $breakAll (local.get $breaks) (local.get $at) (i32.const 1))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $next)))
      (local.set $breaks (i32.and (local.get $breaks)
        (i32.sub (i32.and (local.get $hits) (i32.sub (i32.const 0) (local.get $hits))) (i32.const 1))))
      (if (local.get $breaks) (then (call $breakAll (local.get $breaks) (local.get $at) (i32.const 1))))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $hits))))
      (if (call $closes (local.get $at) (local.get $token))
        (then
          (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
          (local.set $at (i32.add (local.get $at) (i32.load8_u offset=6 (local.get $token))))
          (br_if $next (local.get $depth))
          (return (local.get $at))))
      (if (i32.and (local.get $nests) (call $opens (local.get $at) (local.get $token)))
        (then
          (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
          (local.set $at (i32.add (local.get $at) (i32.load8_u offset=5 (local.get $token)))))
        (else (local.set $at (i32.add (local.get $at) (i32.const 1)))))
      (br $next))
    (unreachable))

  ;; Whether a literal is a statement of its own: first on its line but for a prefix, outside brackets, not continued.
  (func $isDocumentation (param $at i32) (result i32)
    (local $start i32) (local $last i32)
    (if (i32.or (global.get $depth) (global.get $framed)) (then (return (i32.const 0))))
    (local.set $start (local.get $at))
    (block $done
      (loop $back
        (br_if $done (i32.le_u (local.get $start) (global.get $lineStart)))
        (br_if $done (i32.ge_u (i32.sub (local.get $at) (local.get $start)) (i32.const 2)))
        (br_if $done (i32.eqz (call $isPrefix (i32.load8_u (i32.sub (local.get $start) (i32.const 1))))))
        (local.set $start (i32.sub (local.get $start) (i32.const 1)))
        (br $back)))
    (if (i32.ne (call $skipSpace (global.get $lineStart)) (local.get $start)) (then (return (i32.const 0))))
    (local.set $last (i32.sub (global.get $lineStart) (i32.const 2)))
    (if (i32.eq (call $behind (local.get $last)) (i32.const 0x0d))
      (then (local.set $last (i32.sub (local.get $last) (i32.const 1)))))
    (i32.ne (call $behind (local.get $last)) (i32.const 0x5c)))

  ;; The byte at `at`; nothing stands before the first one.
  (func $behind (param $at i32) (result i32)
    (if (result i32) (i32.ge_s (local.get $at) (global.get $first))
      (then (i32.load8_u (local.get $at)))
      (else (i32.const 0))))

  ;; `r`, `u`, `b` in either case.
  (func $isPrefix (param $byte i32) (result i32)
    (local.set $byte (i32.or (local.get $byte) (i32.const 0x20)))
    (i32.or
      (i32.or (i32.eq (local.get $byte) (i32.const 0x72)) (i32.eq (local.get $byte) (i32.const 0x75)))
      (i32.eq (local.get $byte) (i32.const 0x62))))

  ;; Reads a quoted string.
  (func $readText (param $at i32) (param $token i32) (result i32)
    (local $bytes v128) (local $close v128) (local $escape v128) (local $hits i32) (local $byte i32) (local $flag i32)
    (local.set $flag (i32.const 2))
    (if (i32.load8_u offset=12 (local.get $token))
      (then
        (if (call $isDocumentation (local.get $at))
          (then
            (local.set $flag (i32.const 1))
            (global.set $line (i32.const 0))))))
    (global.set $line (i32.or (global.get $line) (local.get $flag)))
    (local.set $close (v128.load8_splat offset=32 (local.get $token)))
    (local.set $escape (v128.load8_splat offset=13 (local.get $token)))
    (local.set $at (i32.add (local.get $at) (i32.load8_u offset=5 (local.get $token))))
    (loop $next
      (if (i32.ge_u (local.get $at) (global.get $end)) (then (return (global.get $end))))
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $hits (i32.and (call $within (local.get $at)) (i8x16.bitmask (v128.or
        (v128.or (i8x16.eq (local.get $bytes) (local.get $close)) (i8x16.eq (local.get $bytes) (local.get $escape)))
        (i8x16.eq (local.get $bytes) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))))))
      (if (i32.eqz (local.get $hits))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $next)))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $hits))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $byte) (i32.const 10))
        (then
          (if (i32.eqz (i32.load8_u offset=11 (local.get $token))) (then (return (local.get $at))))
          (call $break (local.get $at) (local.get $flag))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))
      (if (i32.and (i32.load8_u offset=14 (local.get $token)) (i32.eq (local.get $byte) (i32.load8_u offset=13 (local.get $token))))
        (then
          (local.set $at (call $skipEscaped (i32.add (local.get $at) (i32.const 1)) (local.get $flag)))
          (br $next)))
      (if (i32.eqz (call $closes (local.get $at) (local.get $token)))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))
      (local.set $at (i32.add (local.get $at) (i32.load8_u offset=6 (local.get $token))))
      (if (i32.eqz (i32.load8_u offset=10 (local.get $token))) (then (return (local.get $at))))
      (if (i32.eqz (call $closes (local.get $at) (local.get $token))) (then (return (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.load8_u offset=6 (local.get $token))))
      (br $next))
    (unreachable))

  ;; Skips what an escape character takes along; an escaped line end carries the string on to the next line.
  (func $skipEscaped (param $at i32) (param $flag i32) (result i32)
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0d))
      (then
        (if (i32.eq (i32.load8_u offset=1 (local.get $at)) (i32.const 10))
          (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))))
    (if (i32.ge_u (local.get $at) (global.get $end)) (then (return (global.get $end))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 10))
      (then (call $break (local.get $at) (local.get $flag))))
    (i32.add (local.get $at) (i32.const 1)))

  ;; Whether the mark at `at` announces a scalar; then notes which indentation its lines exceed.
  (func $announceScalar (param $at i32) (result i32)
    (local $i i32) (local $byte i32) (local $owner i32)
    ;; Before it come white space and a colon or dash.
    (local.set $i (i32.sub (local.get $at) (i32.const 1)))
    (block $done
      (loop $back
        (br_if $done (i32.lt_s (local.get $i) (global.get $lineStart)))
        (br_if $done (i32.eqz (call $isSpace (i32.load8_u (local.get $i)))))
        (local.set $i (i32.sub (local.get $i) (i32.const 1)))
        (br $back)))
    (if (i32.lt_s (local.get $i) (global.get $lineStart)) (then (return (i32.const 0))))
    (if (i32.eq (i32.add (local.get $i) (i32.const 1)) (local.get $at)) (then (return (i32.const 0))))
    (local.set $byte (i32.load8_u (local.get $i)))
    (if (i32.and (i32.ne (local.get $byte) (i32.const 0x3a)) (i32.ne (local.get $byte) (i32.const 0x2d)))
      (then (return (i32.const 0))))
    ;; Behind it come at most an indentation digit and a chomping sign, then nothing or a comment.
    (local.set $i (i32.add (local.get $at) (i32.const 1)))
    (local.set $i (i32.add (local.get $i) (call $isHeader (local.get $i))))
    (if (i32.ne (local.get $i) (i32.add (local.get $at) (i32.const 1)))
      (then (local.set $i (i32.add (local.get $i) (call $isHeader (local.get $i))))))
    (local.set $owner (call $skipSpace (local.get $i)))
    (local.set $byte (i32.load8_u (local.get $owner)))
    (if (i32.eqz (i32.or
          (i32.eq (local.get $byte) (i32.const 10))
          (i32.and (i32.eq (local.get $byte) (i32.const 0x23)) (i32.gt_u (local.get $owner) (local.get $i)))))
      (then (return (i32.const 0))))
    ;; The column of the key or dash that owns it.
    (local.set $i (call $skipSpace (global.get $lineStart)))
    (local.set $owner (local.get $i))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $i) (local.get $at)))
        (br_if $done (i32.ne (i32.load8_u (local.get $i)) (i32.const 0x2d)))
        (br_if $done (i32.eqz (call $isSpace (i32.load8_u offset=1 (local.get $i)))))
        (local.set $owner (local.get $i))
        (local.set $i (call $skipSpace (i32.add (local.get $i) (i32.const 1))))
        (br $next)))
    (global.set $scalar (i32.sub
      (select (local.get $owner) (local.get $i) (i32.eq (local.get $i) (local.get $at)))
      (global.get $lineStart)))
    (global.set $line (i32.or (global.get $line) (i32.const 2)))
    (i32.const 1))

  ;; `+`, `-` or a digit but zero.
  (func $isHeader (param $at i32) (result i32)
    (local $byte i32)
    (local.set $byte (i32.load8_u (local.get $at)))
    (i32.or
      (i32.le_u (i32.sub (local.get $byte) (i32.const 0x31)) (i32.const 8))
      (i32.or (i32.eq (local.get $byte) (i32.const 0x2b)) (i32.eq (local.get $byte) (i32.const 0x2d)))))

  ;; Reads the lines of the scalar that begins at the start of this line as code; blank ones at its end stay blank.
  (func $readScalar (result i32)
    (local $start i32) (local $text i32) (local $last i32)
    (local.set $last (i32.const -1))
    (local.set $start (global.get $lineStart))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $start) (global.get $end)))
        (local.set $text (call $skipSpace (local.get $start)))
        (if (i32.ne (i32.load8_u (local.get $text)) (i32.const 10))
          (then
            (br_if $done (i32.le_s (i32.sub (local.get $text) (local.get $start)) (global.get $scalar)))
            (local.set $last (local.get $start))))
        (local.set $start (i32.add (call $endOfLine (local.get $text)) (i32.const 1)))
        (br $next)))
    (global.set $scalar (i32.const -1))
    (block $done
      (loop $next
        (br_if $done (i32.gt_s (global.get $lineStart) (local.get $last)))
        (local.set $start (call $endOfLine (global.get $lineStart)))
        (global.set $line (i32.const 2))
        (if (i32.ge_u (local.get $start) (global.get $end)) (then (return (global.get $end))))
        (call $break (local.get $start) (i32.const 0))
        (br $next)))
    (global.get $lineStart))

  ;; Leaves what was found where the caller reads it.
  (func $leave (param $at i32) (param $reason i32) (result i32)
    (i32.store offset=0 (i32.const 0) (local.get $at))
    (i32.store offset=4 (i32.const 0) (global.get $line))
    (i32.store offset=8 (i32.const 0) (global.get $lineStart))
    (i32.store offset=12 (i32.const 0) (global.get $code))
    (i32.store offset=16 (i32.const 0) (global.get $comments))
    (i32.store offset=20 (i32.const 0) (global.get $blanks))
    (i32.store offset=24 (i32.const 0) (global.get $depth))
    (i32.store offset=28 (i32.const 0) (global.get $scalar))
    (local.get $reason))

  ;; Books a stretch without tokens: `breaks` are its newlines, `plain` its bytes that are neither those nor white space,
  ;; `space` its white space; bits count from `base`.
  (func $stretch (param $breaks i64) (param $plain i64) (param $space i64) (param $base i32)
    (local $starts i64) (local $empty i32)
    (if (i64.eqz (local.get $breaks))
      (then
        (if (i64.ne (local.get $plain) (i64.const 0)) (then (global.set $line (i32.or (global.get $line) (i32.const 2)))))
        (return)))
    (if (i64.ne (i64.const 0) (i64.and (local.get $plain) (i64.sub (i64.and (local.get $breaks) (i64.sub (i64.const 0) (local.get $breaks))) (i64.const 1))))
      (then (global.set $line (i32.or (global.get $line) (i32.const 2)))))
    (call $break (i32.const 0) (i32.const 0))
    ;; A newline ends a blank line if from the start of that line on there is only white space: adding a bit at the start
    ;; of a run of ones carries it to the end of the run.
    (local.set $starts (i64.shl (local.get $breaks) (i64.const 1)))
    (local.set $starts (i64.and
      (i64.or
        (i64.add (local.get $space) (i64.and (local.get $starts) (local.get $space)))
        (local.get $starts))
      (i64.xor (local.get $space) (i64.const -1))))
    (local.set $empty (i32.wrap_i64 (i64.popcnt (i64.and (local.get $starts) (local.get $breaks)))))
    (global.set $blanks (i32.add (global.get $blanks) (local.get $empty)))
    (global.set $code (i32.add (global.get $code)
      (i32.sub (i32.sub (i32.wrap_i64 (i64.popcnt (local.get $breaks))) (i32.const 1)) (local.get $empty))))
    (local.set $empty (i32.sub (i32.const 64) (i32.wrap_i64 (i64.clz (local.get $breaks)))))
    (global.set $lineStart (i32.add (local.get $base) (local.get $empty)))
    (global.set $line (i32.shl (i64.ne (i64.const 0)
      (i64.shr_u (i64.shr_u (local.get $plain) (i64.extend_i32_u (i32.sub (local.get $empty) (i32.const 1)))) (i64.const 1))) (i32.const 1))))

  (func (export "scan")
    (param $tables i32) (param $at i32) (param $end i32) (param $line i32) (param $lineStart i32)
    (param $depth i32) (param $flags i32) (param $origin i32) (param $first i32) (param $scalar i32) (result i32)
    (local $bytes v128) (local $marks v128) (local $rows v128) (local $zero v128) (local $fifteen v128)
    (local $newline v128) (local $blank v128) (local $tab v128) (local $four v128)
    (local $base i32) (local $from i32) (local $token i32) (local $kind i32) (local $wide i32)
    (local $tokens i64) (local $others i64) (local $breaks i64) (local $spaces i64)
    (local $segment i64) (local $stop i64) (local $announced i64)
    (global.set $line (local.get $line))
    (global.set $lineStart (local.get $lineStart))
    (global.set $code (i32.const 0))
    (global.set $comments (i32.const 0))
    (global.set $blanks (i32.const 0))
    (global.set $depth (local.get $depth))
    (global.set $end (local.get $end))
    (global.set $first (local.get $first))
    (global.set $origin (local.get $origin))
    (global.set $framed (i32.and (local.get $flags) (i32.const 2)))
    ;; All ones where the end of the line is to be told.
    (global.set $scalar (local.get $scalar))
    (local.set $announced (i64.sub (i64.const 0) (i64.extend_i32_u
      (i32.or (i32.and (local.get $flags) (i32.const 1)) (i32.ge_s (local.get $scalar) (i32.const 0))))))
    (local.set $marks (v128.load (local.get $tables)))
    (local.set $wide (i32.load8_u offset=16 (local.get $tables)))
    (local.set $rows (v128.const i8x16 1 2 4 8 16 32 64 128 0 0 0 0 0 0 0 0))
    (local.set $fifteen (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $newline (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))
    (local.set $blank (v128.const i8x16 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32))
    (local.set $tab (v128.const i8x16 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9))
    (local.set $four (v128.const i8x16 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4))
    (local.set $base (i32.sub (local.get $at) (i32.const 64)))
    (loop $next
     (local.set $from (local.get $at))
     (loop $more
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (call $leave (local.get $end) (i32.const 0)))))
      (if (i32.ge_u (i32.sub (local.get $at) (local.get $base)) (i32.const 64))
        (then
          (local.set $base (local.get $at))
          (local.set $bytes (v128.load offset=0 (local.get $base)))
          (local.set $others (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $zero) (v128.and
            (i8x16.swizzle (local.get $marks) (v128.and (local.get $bytes) (local.get $fifteen)))
            (i8x16.swizzle (local.get $rows) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))))
          (local.set $breaks (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (local.get $newline)))))
          (local.set $spaces (i64.extend_i32_u (i8x16.bitmask (v128.or
            (i8x16.eq (local.get $bytes) (local.get $blank))
            (i8x16.le_u (i8x16.sub (local.get $bytes) (local.get $tab)) (local.get $four))))))
          (local.set $bytes (v128.load offset=16 (local.get $base)))
          (local.set $others (i64.or (local.get $others) (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $zero) (v128.and
            (i8x16.swizzle (local.get $marks) (v128.and (local.get $bytes) (local.get $fifteen)))
            (i8x16.swizzle (local.get $rows) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))) (i64.const 16))))
          (local.set $breaks (i64.or (local.get $breaks) (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (local.get $newline)))) (i64.const 16))))
          (local.set $spaces (i64.or (local.get $spaces) (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.or
            (i8x16.eq (local.get $bytes) (local.get $blank))
            (i8x16.le_u (i8x16.sub (local.get $bytes) (local.get $tab)) (local.get $four))))) (i64.const 16))))
          (local.set $bytes (v128.load offset=32 (local.get $base)))
          (local.set $others (i64.or (local.get $others) (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $zero) (v128.and
            (i8x16.swizzle (local.get $marks) (v128.and (local.get $bytes) (local.get $fifteen)))
            (i8x16.swizzle (local.get $rows) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))) (i64.const 32))))
          (local.set $breaks (i64.or (local.get $breaks) (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (local.get $newline)))) (i64.const 32))))
          (local.set $spaces (i64.or (local.get $spaces) (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.or
            (i8x16.eq (local.get $bytes) (local.get $blank))
            (i8x16.le_u (i8x16.sub (local.get $bytes) (local.get $tab)) (local.get $four))))) (i64.const 32))))
          (local.set $bytes (v128.load offset=48 (local.get $base)))
          (local.set $others (i64.or (local.get $others) (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $zero) (v128.and
            (i8x16.swizzle (local.get $marks) (v128.and (local.get $bytes) (local.get $fifteen)))
            (i8x16.swizzle (local.get $rows) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))) (i64.const 48))))
          (local.set $breaks (i64.or (local.get $breaks) (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $bytes) (local.get $newline)))) (i64.const 48))))
          (local.set $spaces (i64.or (local.get $spaces) (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.or
            (i8x16.eq (local.get $bytes) (local.get $blank))
            (i8x16.le_u (i8x16.sub (local.get $bytes) (local.get $tab)) (local.get $four))))) (i64.const 48))))
          (local.set $tokens (i64.xor (local.get $others) (i64.const -1)))
          (if (local.get $wide)
            (then (local.set $tokens (i64.or (local.get $tokens) (call $outsideAscii (local.get $base))))))
          (local.set $spaces (i64.and (local.get $spaces) (i64.xor (local.get $breaks) (i64.const -1))))))
      (local.set $segment (i64.shl (i64.const -1) (i64.extend_i32_u (i32.sub (local.get $at) (local.get $base)))))
      (local.set $at (i32.add (local.get $base) (i32.const 64)))
      (if (i32.lt_u (local.get $end) (local.get $at))
        (then
          (local.set $at (local.get $end))
          (local.set $segment (i64.and (local.get $segment) (i64.sub
            (i64.shl (i64.const 1) (i64.extend_i32_u (i32.sub (local.get $end) (local.get $base)))) (i64.const 1))))))
      (local.set $stop (i64.and (local.get $segment) (i64.or
        (local.get $tokens) (i64.and (local.get $breaks) (local.get $announced)))))
      (if (i64.ne (local.get $stop) (i64.const 0))
        (then
          (local.set $at (i32.add (local.get $base) (i32.wrap_i64 (i64.ctz (local.get $stop)))))
          (local.set $segment (i64.and (local.get $segment) (i64.sub
            (i64.and (local.get $stop) (i64.sub (i64.const 0) (local.get $stop))) (i64.const 1))))))
      (call $stretch
        (i64.and (local.get $breaks) (local.get $segment))
        (i64.and (local.get $segment) (i64.xor (i64.const -1) (i64.or (local.get $breaks) (local.get $spaces))))
        (i64.and (local.get $spaces) (local.get $segment))
        (local.get $base))
      (br_if $more (i64.eqz (local.get $stop)))
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 10))
        (then
          (if (i32.and (local.get $flags) (i32.const 1)) (then (return (call $leave (local.get $at) (i32.const 2)))))
          (call $break (local.get $at) (i32.const 0))
          (local.set $at (call $readScalar))
          (local.set $announced (i64.const 0))
          (br $next)))
      ;; A mark that begins with a letter stops the scan at its second byte: go back unless the first one is used up.
      (if (i32.gt_u (local.get $at) (local.get $from))
        (then (local.set $at (i32.sub (local.get $at)
          (i32.load8_u offset=1088 (i32.add (local.get $tables) (i32.load8_u (i32.sub (local.get $at) (i32.const 1)))))))))
      (local.set $token (i32.load offset=64 (i32.add (local.get $tables) (i32.shl (i32.load8_u (local.get $at)) (i32.const 2)))))
      (loop $candidate
        (if (i32.eqz (local.get $token))
          (then
            (global.set $line (i32.or (global.get $line) (i32.const 2)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $next)))
        (if (i64.eqz (i64.and (i64.load offset=24 (local.get $token))
              (i64.xor (i64.load (local.get $at)) (i64.load offset=16 (local.get $token)))))
          (then
            (if (if (result i32) (i32.load8_u offset=15 (local.get $token))
                  (then (call $isPlaced (local.get $at) (local.get $token)))
                  (else (i32.const 1)))
              (then
                (local.set $kind (i32.load8_u offset=4 (local.get $token)))
                (if (i32.eqz (local.get $kind)) (then (return (call $leave (local.get $at) (i32.const 1)))))
                (block $scalar (block $shut (block $open (block $escape (block $text (block $block (block $line
                  (br_table $line $line $block $text $escape $open $shut $scalar (local.get $kind)))
                  (local.set $at (call $readLine (local.get $at) (local.get $token)))
                  (br $next))
                  (local.set $at (call $readBlock (local.get $at) (local.get $token)))
                  (br $next))
                  (local.set $at (call $readText (local.get $at) (local.get $token)))
                  (br $next))
                  (global.set $line (i32.or (global.get $line) (i32.const 2)))
                  (local.set $at (i32.add (local.get $at)
                    (i32.sub (i32.const 2) (i32.eq (i32.load8_u offset=1 (local.get $at)) (i32.const 10)))))
                  (br $next))
                  (global.set $line (i32.or (global.get $line) (i32.const 2)))
                  (global.set $depth (i32.add (global.get $depth) (i32.const 1)))
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (br $next))
                (if (global.get $framed) (then (return (call $leave (local.get $at) (i32.const 1)))))
                (global.set $line (i32.or (global.get $line) (i32.const 2)))
                (global.set $depth (i32.sub (global.get $depth) (i32.ne (global.get $depth) (i32.const 0))))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (br $next))
                (if (call $announceScalar (local.get $at))
                  (then
                    (local.set $announced (i64.const -1))
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (br $next)))))))
        (local.set $token (i32.load (local.get $token)))
        (br $candidate))))
    (unreachable))

  ;; A bit for each of 64 bytes that is outside ASCII, where marks may begin with such.
  (func $outsideAscii (param $at i32) (result i64)
    (i64.or
      (i64.or
        (i64.extend_i32_u (i8x16.bitmask (v128.load (local.get $at))))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.load offset=16 (local.get $at)))) (i64.const 16)))
      (i64.or
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.load offset=32 (local.get $at)))) (i64.const 32))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (v128.load offset=48 (local.get $at)))) (i64.const 48)))))
)
