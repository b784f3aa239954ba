;; What a scan has found so far, and the booking of lines. First of the files that `npm run build:scanner` joins to one module.
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
