/** Reads one connection of a call, in either era, until its response or its loss. */
import type { Reply, WireMessage } from '../../support/http-wire.js';
import { isQuestion } from './model.js';
import { noteNotification, type SeenStream, type Witness } from './witness.js';

/** How a connection ended: with the response, or without. */
export type Heard = WireMessage | 'cut';

/** What is listened to. */
export interface Listening {
  readonly reply: Reply;
  readonly witness: Witness;
  readonly stream: SeenStream;
  /** The id of the call. */
  readonly id: string;
  /** Ends the listening, as a lost connection does. */
  readonly giveUp: AbortSignal;
  onQuestion?(question: WireMessage): void;
}

/** A call says something every ten seconds at least; one that is silent for longer has lost its front end. */
const SILENCE_MS = 30_000;

/** Reads on; resolves with the response to the call. An event that came before on the same stream is wrong. */
export async function listen(listening: Listening): Promise<Heard> {
  const { reply, giveUp } = listening;
  giveUp.addEventListener('abort', reply.destroy, { once: true });
  try {
    return await listenOn(listening);
  } finally {
    giveUp.removeEventListener('abort', reply.destroy);
  }
}

async function listenOn({ reply, witness, stream, id, onQuestion }: Listening): Promise<Heard> {
  for (let count = 0; ; count++) {
    const event = await reply.eventAfter(count, SILENCE_MS).catch(() => undefined);
    if (!event) {
      reply.destroy();
      witness.lostAtMs ??= Date.now();
      return 'cut';
    }
    if (witness.lostAtMs !== undefined) witness.silencesMs.push(Date.now() - witness.lostAtMs);
    witness.lostAtMs = undefined;
    if (event.id !== undefined) {
      if (stream.eventIds.includes(event.id)) witness.wrong.push(`event ${event.id} came twice on one stream`);
      stream.eventIds.push(event.id);
    }
    const { message } = event;
    if (!message) continue;
    if (isQuestion(message)) onQuestion?.(message);
    else if (message.method !== undefined) noteNotification(witness, stream, message);
    else if (message.id === id) return message;
    else witness.wrong.push(`a response to ${String(message.id)} came on the stream of ${id}`);
  }
}
