/** The entry of the coverage metric's thread. */
import { parentPort, workerData } from 'node:worker_threads';
import type { MetricMessage } from '../metric-host.js';
import { type CollectRequest, collectCoverage } from './collect.js';
import type { CoverageResult } from './coverage.js';

function say(message: MetricMessage<CoverageResult>): void {
  parentPort?.postMessage(message);
}

const request: CollectRequest = workerData;
say({ kind: 'result', result: collectCoverage(request, (done, total) => say({ kind: 'progress', done, total })) });
