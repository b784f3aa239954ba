/** Tells files that came from elsewhere by their path; what .gitattributes declares has the last word. */

/** Folders that package managers fill or that by convention hold other people's code. */
const FOLDERS =
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|vendor|(?:[Tt]hird|3rd)[-_]?[Pp]arty|site-packages|Godeps\/_workspace|Carthage\/(?:Build|Checkouts)|Pods|\.yarn\/(?:releases|plugins|sdks|versions|cache|unplugged)|\.bundle|\.venv|\.tox|\.longhaul-backup)\//;
/** Well-known libraries that are copied file by file, and scripts that build tools drop into a tree. */
const FILES =
  /(?:^|\/)(?:jquery(?:[-.]\d[\w.]*)?(?:\.slim)?\.js|jquery[-.]ui[\w.-]*\.(?:js|css)|bootstrap(?:[-.](?:theme|grid|reboot|bundle|datepicker))?\.(?:js|css)|(?:angular|react|react-dom|vue|ember|backbone|underscore|lodash|moment|d3|three|modernizr|knockout|prototype|mootools|raphael|highlight\.pack)[-.]?v?(?:\d[\w.]*)?\.(?:development|production|prod|global|runtime)?\.?js|font-?awesome\.css|normalize\.css|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|config\.(?:guess|sub)|ltmain\.sh|install-sh|aclocal\.m4|libtool\.m4|lt(?:options|sugar|version|~obsolete)\.m4)$/;
/** Compiled pages and scripts as bundlers write them. */
const BUNDLES = /(?:^|\/)dist\/(?:.*\/)?[^/]+\.(?:min|bundle|chunk|umd|esm|iife)\.(?:m?js|css)$/;

/** Whether a path says that its file came from elsewhere. */
export function vendoredByPath(path: string): boolean {
  return FOLDERS.test(path) || FILES.test(path) || BUNDLES.test(path);
}

/** Whether a pattern names one of the folders that count as vendored. */
export function namesVendored(pattern: string): boolean {
  return FOLDERS.test(`${pattern}/`);
}
