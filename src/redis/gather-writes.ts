/**
 * Has a connection send what is asked of it within one turn of the event loop in one piece. A write for each command would be a system
 * call here and, since the server reads as it comes, one more there; many calls that are answered together ask on together.
 */
import type { Redis } from 'ioredis';

/** Gathers the writes of a connection; each goes out before the event loop turns, in the order of the commands. */
export function gatherWrites(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  let gathering: Redis['stream'] | undefined;
  redis.sendCommand = (command, writable) => {
    const { stream } = redis;
    if (stream && stream !== gathering) {
      gathering = stream;
      stream.cork();
      // Runs once all that was answered together has asked on.
      process.nextTick(() => {
        if (gathering === stream) gathering = undefined;
        stream.uncork();
      });
    }
    return send(command, writable);
  };
}
