/** Makes an HTTP server listen, and tells in words why it cannot. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../core/errors.js';

/** Where to listen, and by which options that was said. */
export interface ListenPlace {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly options: { readonly host: string; readonly port: string };
}

/** Resolves once the server listens; rejects with `invalid_configuration` if the place is to blame. */
export function listen(server: Server, place: ListenPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => reject(listenFault(error, place));
    server.once('error', refused);
    server.listen(place.port, place.host, () => {
      server.off('error', refused);
      resolve();
    });
  });
}

/** The origin that a listening server answers at, such as `http://127.0.0.1:3000`. */
export function originOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Which option is wrong, by the system's name of the error. */
const FAULTS: Readonly<Record<string, (options: ListenPlace['options']) => string>> = {
  EADDRINUSE: ({ port }) =>
    `something listens there already. Stop it, or choose another port with ${port} (0 for a free one)`,
  EACCES: ({ port }) => `this user may not. Choose a port from 1024 with ${port}`,
  EADDRNOTAVAIL: ({ host }) => `this host has no such address. Choose another with ${host}`,
  ENOTFOUND: ({ host }) => `no such host is known. Choose another with ${host}`,
};

function listenFault(error: NodeJS.ErrnoException, { host, port, options }: ListenPlace): Error {
  const fault = FAULTS[error.code ?? ''];
  if (fault === undefined) return error;
  return new AppError('invalid_configuration', `Cannot listen on ${host}:${port}: ${fault(options)}.`, {
    cause: error,
  });
}
