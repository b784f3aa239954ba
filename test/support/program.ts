/** Names the program that tests start: the one that is shipped, or, where nothing is built, the modules it is bundled from. */
import { fileURLToPath } from 'node:url';

const folder = process.env.TEST_NO_BUILD && !process.env.CI ? 'dist' : 'bundle';

/** Absolute path of the `longhaul` program, to be run by Node. */
export const PROGRAM = fileURLToPath(new URL(`../../${folder}/src/main.js`, import.meta.url));
