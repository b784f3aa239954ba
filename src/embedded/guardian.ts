/** The guardian's own process: reads its orders from its only argument and its first lease from descriptor 3. */
import { Socket } from 'node:net';
import { createLeases } from './leases.js';
import { type GuardianSpec, runGuardian } from './run-guardian.js';

const FIRST_LEASE = 3;

process.umask(0o077);
const spec: GuardianSpec = JSON.parse(process.argv[2] ?? '');
const leases = createLeases(spec.graceMs);
// A service manager signals all processes of a service at once, while its workers still need Redis to hand jobs back:
// the guardian ends with its last lease, only without the grace. A terminal's hang-up is none of its business.
process.on('SIGTERM', leases.hurry);
process.on('SIGINT', leases.hurry);
process.on('SIGHUP', () => undefined);
await runGuardian(spec, leases, new Socket({ fd: FIRST_LEASE, readable: true, writable: true }));
