/** Reads the PEM files of a TLS connection. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../core/errors.js';
import type { TlsFiles } from './address.js';

/** The settings that name the files. */
const SETTING_OF = {
  ca: 'LONGHAUL_REDIS_TLS_CA',
  cert: 'LONGHAUL_REDIS_TLS_CERT',
  key: 'LONGHAUL_REDIS_TLS_KEY',
} as const satisfies Record<keyof TlsFiles, string>;

/** Reads those that are named by path; throws `invalid_configuration` that names the setting of an unreadable one. */
export async function readTlsFiles(paths: TlsFiles): Promise<TlsFiles> {
  const [ca, cert, key] = await Promise.all([pem('ca', paths.ca), pem('cert', paths.cert), pem('key', paths.key)]);
  if ((cert === undefined) === (key === undefined)) return { ca, cert, key };
  const [there, missing] = cert === undefined ? [SETTING_OF.key, SETTING_OF.cert] : [SETTING_OF.cert, SETTING_OF.key];
  throw new AppError('invalid_configuration', `${there} is set but ${missing} is not: set both, or neither.`);
}

async function pem(kind: keyof TlsFiles, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AppError('invalid_configuration', `${SETTING_OF[kind]}: cannot read ${path}.`, { cause });
  });
  if (text.includes('-----BEGIN ')) return text;
  throw new AppError('invalid_configuration', `${SETTING_OF[kind]}: ${path} is not a PEM file; convert it to one.`);
}
