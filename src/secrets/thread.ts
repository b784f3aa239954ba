/** The entry of the thread that takes secrets out of large texts, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { respond, type ThreadRequest } from './thread-messages.js';

parentPort?.on('message', (request: ThreadRequest) => {
  parentPort?.postMessage(respond(request));
});
