;; Looks at single bytes and at what surrounds a mark.
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

;; Whether the surroundings of the mark at `at` are what its token asks for. The places are numbered by `simd-tables.ts`.
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
