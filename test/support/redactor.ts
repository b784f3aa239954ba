/** The redactor as tests of the product's logic stand on it: the real one, of an installation of its own. */
import { createRedactor, type OwnedRedactor } from '../../src/secrets/redactor.js';

/** Builds one; its thread starts only for a large text, and keeps no test alive. */
export function testRedactor(): OwnedRedactor {
  return createRedactor({ secret: async () => 'of a test' });
}
