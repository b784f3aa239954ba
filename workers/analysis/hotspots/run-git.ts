/** Asks git about a repository that nobody vouches for: none of its programs run, nothing is written, nothing is fetched. */
import { spawn } from 'node:child_process';
import { watchForStall } from '../stalled-process.js';

/** Variables of a surrounding git command, which point to another repository, and such as name programs to run. */
const UNSET = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_EXTERNAL_DIFF',
  'GIT_PAGER',
  'GIT_SSH_COMMAND',
];
/** A partial clone fetches what it lacks, by whatever program its configuration names: no protocol is allowed at all. */
const SET = ['GIT_ALLOW_PROTOCOL=none', 'GIT_NO_LAZY_FETCH=1', 'GIT_TERMINAL_PROMPT=0', 'GIT_NO_REPLACE_OBJECTS=1'];
const SETTINGS = [
  'safe.directory=*',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.quotePath=false',
  // Signatures are shown by running a program that the repository may choose.
  'log.showSignature=false',
  'log.showRoot=true',
  'log.mailmap=true',
];
const COMMAND = [
  ...UNSET.flatMap((name) => ['-u', name]),
  ...SET,
  'git',
  '--no-optional-locks',
  '--no-pager',
  ...SETTINGS.flatMap((setting) => ['-c', setting]),
];

/** What to run, and who takes what it prints. */
export interface GitRun {
  readonly root: string;
  readonly arguments: readonly string[];
  readonly signal: AbortSignal;
  /** Takes the bytes as they come; returns false to have git ended. */
  readonly take: (chunk: Buffer) => boolean;
}

/**
 * Runs git to its end, or until enough was taken. Resolves to whether it ended well or was ended for having said enough;
 * false where git is missing or waits in vain. Rejects with the signal's reason on abort, having killed git.
 */
export async function runGit({ root, arguments: args, signal, take }: GitRun): Promise<boolean> {
  signal.throwIfAborted();
  const child = spawn('env', [...COMMAND, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
    killSignal: 'SIGKILL',
  });
  let enough = false;
  // A pipe in the place of a file that git reads, such as .mailmap, would be waited for without end.
  const watch = watchForStall(child.pid, () => child.kill('SIGKILL'));
  child.stdout.on('data', (chunk: Buffer) => {
    watch.touch();
    if (enough || take(chunk)) return;
    enough = true;
    child.kill('SIGKILL');
  });
  const status = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  watch.end();
  signal.throwIfAborted();
  return enough || status === 0;
}

/** Runs git and gives back what it printed, at most `mostBytes`; undefined where it failed. */
export async function readGit(run: Omit<GitRun, 'take'> & { readonly mostBytes: number }): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    return bytes <= run.mostBytes;
  };
  return (await runGit({ ...run, take })) ? Buffer.concat(chunks).toString('utf8') : undefined;
}
