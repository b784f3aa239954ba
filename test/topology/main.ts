/** `npm run topology`: runs what docker-compose.yml says without Docker; the last line is the verdict, the exit code 0 if all is well. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTopology } from './topology.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const say = (line: string) => void process.stdout.write(`${line}\n`);
const checks = await runTopology({ root: ROOT, workspace: process.env.WORKSPACE || join(ROOT, 'src'), say });
const failed = checks.filter(({ ok }) => !ok).length;
say(failed === 0 ? `\nThe topology works: ${checks.length} checks.` : `\n${failed} of ${checks.length} checks failed.`);
process.exit(failed === 0 ? 0 : 1);
