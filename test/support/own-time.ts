/** What this process has worked, for bounds on the cost of something: the clock tells of other processes as well. */

/** Milliseconds of processor time that this process has had so far, all threads together. */
export function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
