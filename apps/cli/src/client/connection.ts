import { readFileSync } from 'node:fs';
import { HivekeepError } from '@hivekeep/contracts';

export interface ConnectionFlags {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** Where the gateway is and what opens it. */
export interface Connection {
  readonly server: URL;
  readonly token: string;
}

const DEFAULT_SERVER = 'http://127.0.0.1:8080';
const MAX_TOKEN_BYTES = 64 * 1024;

/** From flags, then `HIVEKEEP_SERVER`, `HIVEKEEP_TOKEN_FILE`, `HIVEKEEP_TOKEN` (`SWARMCLI_CD_…` too). Throws `usage/invalid`. */
export function connectionOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Connection {
  return { server: serverOf(flags.server ?? fromEnv(env, 'SERVER') ?? DEFAULT_SERVER), token: tokenOf(flags, env) };
}

/** A variable by its name without prefix: ours first, then the family's. Empty counts as unset. */
export function fromEnv(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[`HIVEKEEP_${name}`] || env[`SWARMCLI_CD_${name}`] || undefined;
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function serverOf(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '') return url;
  throw new HivekeepError('usage/invalid', `expected a server like https://hivekeep.example:8080 (no user info), found '${text}'`);
}

function tokenOf({ tokenFile }: ConnectionFlags, env: NodeJS.ProcessEnv): string {
  const given = tokenFile ?? fromEnv(env, 'TOKEN_FILE');
  const token = given === undefined ? (fromEnv(env, 'TOKEN') ?? fromEnv(env, 'ADMIN_TOKEN')) : readToken(given);
  if (token !== undefined && /^\S+$/.test(token.trim())) return token.trim();
  throw new HivekeepError(
    'usage/invalid',
    given === undefined
      ? 'no token: give --token-file FILE, or HIVEKEEP_TOKEN_FILE or HIVEKEEP_TOKEN in the environment'
      : `token file '${given}': expected one word, found none or several`,
  );
}

function readToken(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length > MAX_TOKEN_BYTES ? '' : text;
  } catch (cause) {
    throw new HivekeepError('usage/invalid', `token file '${file}' cannot be read: ${(cause as Error).message}`, { cause });
  }
}
