;; Reads YAML's scalars, whose ends their indentation tells.
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
