/** Knows values that stand where a secret would and are none: examples, blanks to be filled in, and references. */

/** Words by which an example says that it is one; of a drawn token they are no part by chance. */
const SAYS_EXAMPLE =
  /EXAMPLE|[Ee]xample|REDACTED|(?:^|[-_])(?:your|YOUR)(?:[-_]|$)|YOUR_|your[-_]|placeholder|PLACEHOLDER|change[-_]?me|CHANGE[-_]?ME/;
/** Runs of what forms are filled with. */
const FILLED = /[xX]{8}|0{16}|\*{4}|\.{4}|•{3}/;

/** Further words of values that anybody may have typed. */
const SAYS_BLANK = new RegExp(
  [
    'sample|dummy|change[-_ ]?(?:me|it|this)|replace|insert|redacted|masked|hidden|xxx|\\*{3}|\\.{3}|…|todo|fixme',
    'your[-_ ]?|my[-_]?(?:secret|password|passwd|token|api|key)|not[-_ ]?(?:a|set|real|so)|foobar|lorem|<|>',
    '^(?:none|null|nil|undefined|true|false|yes|no|string|number|boolean|optional|required|any|unknown|void)$',
    '^(?:pass|password|passwd|passphrase|pwd|pw|secret|token|key|api[-_]?key|apikey|hash|value|default|admin|root|guest|user|username|postgres|mysql|redis|mongo|localhost)$',
    '^(.)\\1+$|^(?:test|fake|mock).{0,9}$',
  ].join('|'),
  'i',
);

/** Values that name where the secret is, instead of being it. */
const REFERS = new RegExp(
  [
    '\\$\\{|\\{\\{|%\\(|%[sdv]$|#\\{|<%|\\$\\(|^\\$[A-Za-z_\\d(]|^%[A-Za-z_]+%$|^[\\[{(<].*[\\]})>]$|^\\{',
    'process\\.env|environ|getenv|^env[.(:]|secrets?\\.|^(?:vault|kms|ssm|file|data|ref\\+|op|arn|https?|secretsmanager|keyring):',
    '^!(?:Ref|Sub|GetAtt|vault|ENV)|^\\.{0,2}/|^~/|^projects/',
  ].join('|'),
);

/** Whether a token of a known format is an example from documentation. */
export function isExampleToken(value: string): boolean {
  return SAYS_EXAMPLE.test(value) || FILLED.test(value);
}

/** Whether a value under a telling name is a blank, an example or a reference. */
export function isPlaceholder(value: string): boolean {
  return SAYS_EXAMPLE.test(value) || SAYS_BLANK.test(value) || REFERS.test(value);
}
