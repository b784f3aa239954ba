/** No tools, but a worker that is started with them does not start before a file is there, as one of a broken installation. */
import { existsSync } from 'node:fs';

if (/workers[\\/]main/.test(process.argv[1] ?? '') && !existsSync(`${process.env.LONGHAUL_DATA_DIR}/mended`))
  throw new Error('a part of the program is missing');

/** The tools. */
export default [];
