/** Words that stay themselves where names are taken for equal: the keywords of the common languages, in one set. */
import { hashToken } from './token-hash.js';

/**
 * One set for all languages: a name that is a keyword elsewhere stays itself too, which makes a comparison of names a
 * little stricter, never looser.
 */
const KEYWORDS = `
abstract alias and as assert async auto await begin bool boolean break byte case catch char class const constexpr continue
decltype def default defer define del delete do done double dyn elif elsif else elseif end endif enum except explicit export
extends extern false final finally float fn for foreach from friend fun func function global go goto guard if impl implements
import in include inline instanceof int interface internal is lambda let local long loop match mod module mut namespace new
nil none nonlocal not null object operator or override package pass private proc protected protocol pub public raise ref
register rescue return select self short signed sizeof static struct super switch template then this throw throws trait true
try type typedef typeof undef union unless unsafe unsigned until use using val var virtual void volatile when where while
with yield elseif esac fi ifdef ifndef endif begin procedure program constant
None True False NULL Self SELECT FROM WHERE AND OR NOT INSERT UPDATE DELETE INTO VALUES JOIN LEFT RIGHT ON GROUP BY ORDER
CREATE TABLE ALTER DROP INDEX IF ELSE END BEGIN CASE WHEN THEN AS IN IS SET UNION`;

/** The hashes of all keywords. */
export const keywordHashes: ReadonlySet<number> = new Set(
  KEYWORDS.trim()
    .split(/\s+/)
    .map((word) => {
      const bytes = Buffer.from(word);
      return hashToken(bytes, 0, bytes.length);
    }),
);
