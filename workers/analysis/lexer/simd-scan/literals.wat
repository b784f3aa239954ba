;; Reads comments and strings to their ends.
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
