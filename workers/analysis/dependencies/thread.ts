/** The entry of the dependency metric's thread. */
import { parentPort, workerData } from 'node:worker_threads';
import type { MetricMessage } from '../metric-host.js';
import { type CollectRequest, collectDependencies } from './collect.js';
import type { DependencyReport } from './dependency.js';

function say(message: MetricMessage<DependencyReport>): void {
  parentPort?.postMessage(message);
}

const request: CollectRequest = workerData;
say({ kind: 'result', result: collectDependencies(request, (done, total) => say({ kind: 'progress', done, total })) });
