/** All languages in one list. */
import { cFamily } from './c-family.js';
import { data } from './data.js';
import { functional } from './functional.js';
import { withKnownNames } from './known-languages.js';
import type { Language } from './language.js';
import { managed } from './managed.js';
import { plain } from './plain.js';
import { scripting } from './scripting.js';
import { shells } from './shells.js';
import { systems } from './systems.js';
import { web } from './web.js';

/** The languages that we have rows of our own for. */
export const ownLanguages: readonly Language[] = [
  ...cFamily,
  ...managed,
  ...scripting,
  ...shells,
  ...functional,
  ...systems,
  ...web,
  ...data,
  ...plain,
];

/** Every known language. Where two claim an extension the earlier one has it, unless the content decides. */
export const languages: readonly Language[] = withKnownNames(ownLanguages);

/** What a text file of no known language is called. */
export const other: Language = { name: 'Other' };
