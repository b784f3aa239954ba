/** The sampling policy over the ports of a test, with limits and a redactor as the test wants them. */
import { DEFAULT_SAMPLING_LIMITS, type SamplingLimits } from '../../src/core/sampling-limits.js';
import { type LinePorts, wakeNext } from '../../src/jobs/wake-next.js';
import { createSamplingPolicy, type PolicyDeps, type SamplingPolicy } from '../../workers/policy/policy.js';

/** Builds the policy; nothing is secret unless `redact` says so. */
export function policyOver(
  core: LinePorts & Pick<PolicyDeps, 'ledger'>,
  limits: Partial<SamplingLimits> = {},
  redact: PolicyDeps['redact'] = async (text) => text,
): SamplingPolicy {
  return createSamplingPolicy({
    limits: { ...DEFAULT_SAMPLING_LIMITS, ...limits },
    ledger: core.ledger,
    redact,
    wakeNext: (session) => wakeNext(core, session),
  });
}
