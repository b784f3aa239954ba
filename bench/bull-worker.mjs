/** A worker process that does nothing with the jobs of a bare BullMQ queue: what Longhaul's worker is measured beside. */
import { Worker } from 'bullmq';
import { connectRedis } from '../dist/src/redis/connection.js';

const connection = connectRedis({ socketPath: process.argv[2] }, 'work');
const worker = new Worker('bare', async () => true, { connection, concurrency: 50 });
await worker.waitUntilReady();
process.send('ready');
