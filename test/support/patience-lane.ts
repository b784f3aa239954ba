/** How long the tests of silence take: seconds, or with `TEST_LONG=1` the minutes that real clients and proxies wait. */

/** The figures of both lanes. */
export const PATIENCE =
  process.env.TEST_LONG === '1'
    ? { settings: {}, giveUpMs: 60_000, survivesMs: 180_000, idleMs: 70_000 }
    : { settings: { LONGHAUL_KEEP_ALIVE_SECONDS: '1' }, giveUpMs: 6_000, survivesMs: 8_000, idleMs: 8_000 };
