;; Counts lines as `scan-lines.ts` does, 16 bytes at a time, and hands every token it does not know to it.
;;
;; `scan` runs until the text ends (0), a token stands at the cursor that only the other scanner can read (1), or the line
;; ends and something announced on it begins (2). What it has found by then lies in memory from 0 on, as `text-memory.ts` reads
;; it: cursor, line flags, start of the line, code, comments, blanks, depth of brackets, indentation of the scalar.
;;
;; Text marks are compared eight bytes at a time; the newline behind the text ends every comparison and every search. What
;; lies behind that newline is read too, in blocks, and masked: memory goes on for at least 80 bytes behind the text.
;; A language's tables are laid out by `simd-tables.ts`; the offsets below are its.
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
