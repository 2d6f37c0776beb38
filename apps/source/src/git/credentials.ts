import { chmod, copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import { z } from 'zod';
import type { RepositoryUrl } from './repository-url.ts';

const HostCredential = z.strictObject({
  username: z.string().min(1).optional(),
  tokenFile: z.string().startsWith('/').optional(),
  sshKeyFile: z.string().startsWith('/').optional(),
  knownHostsFile: z.string().startsWith('/').optional(),
  /** PEM file of the authority that signed the server's certificate. */
  caFile: z.string().startsWith('/').optional(),
});
type HostCredential = z.infer<typeof HostCredential>;

/** The credentials file: by `host` or `host:port`. It names files and holds no secret itself. */
export const CredentialsDocument = z.strictObject({ hosts: z.record(z.string(), HostCredential) });
export type CredentialsDocument = z.infer<typeof CredentialsDocument>;

export interface CredentialOptions {
  /** The document of the credentials file as it is now; undefined when none is configured. */
  readonly readDocument?: () => Promise<CredentialsDocument>;
  /** For every https host that the document does not name. A file wins over a value. */
  readonly fallback?: { readonly username?: string; readonly token?: string; readonly tokenFile?: string };
}

/** What a git process needs to authenticate, valid until it is closed. */
export interface OpenCredential {
  readonly env: Readonly<Record<string, string>>;
  /** Values that must not appear anywhere, in every form they are sent in. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

export interface Credential {
  /** Which credential this is, without its secret: it stays when a token is rotated. */
  readonly id: string;
  /** Reads the mounted files. Throws `source/auth` when one is missing, empty or too large. */
  open(): Promise<OpenCredential>;
}

const DEFAULT_USERNAME = 'x-access-token';
const MAX_SECRET_BYTES = 64 * 1024;
const ANONYMOUS: OpenCredential = { env: {}, secrets: [], close: async () => {} };

/** Finds the credential of a repository: its host's entry, else the global one, else none. Files are read at each use. */
export class GitCredentials {
  readonly #options: CredentialOptions;

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** Throws `source/auth` when the URL needs a credential that is not configured (ssh). */
  async find(url: RepositoryUrl): Promise<Credential> {
    if (url.kind === 'local') return { id: 'local', open: async () => ANONYMOUS };
    const document = await this.#options.readDocument?.();
    const entry = document?.hosts[url.authority] ?? document?.hosts[url.host];
    if (url.kind === 'ssh') return sshCredential(url, entry);
    if (entry) return { id: `host ${url.authority} ${JSON.stringify(entry)}`, open: () => openHttp(url, entry) };
    const { token, tokenFile, username } = this.#options.fallback ?? {};
    if (!token && !tokenFile) return { id: 'anonymous', open: async () => ANONYMOUS };
    return {
      id: `global ${username ?? ''}`,
      open: async () => httpCredential(url, username, tokenFile ? await readSecret(tokenFile) : (token ?? '')),
    };
  }
}

async function openHttp(url: RepositoryUrl, entry: HostCredential): Promise<OpenCredential> {
  const authority: Record<string, string> = entry.caFile === undefined ? {} : { GIT_SSL_CAINFO: entry.caFile };
  if (entry.tokenFile === undefined) return { ...ANONYMOUS, env: authority };
  const opened = httpCredential(url, entry.username, await readSecret(entry.tokenFile));
  return { ...opened, env: { ...opened.env, ...authority } };
}

/**
 * Basic authorization by the environment, bound to the URL's own scheme, host and port (`http.<url>.extraHeader`, git-config(1)):
 * never an argument, and no other host gets it.
 */
function httpCredential(url: RepositoryUrl, username: string | undefined, token: string): OpenCredential {
  const basic = Buffer.from(`${username ?? DEFAULT_USERNAME}:${token}`).toString('base64');
  return {
    env: {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `http.${url.kind}://${url.authority}/.extraHeader`,
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
    },
    secrets: [token, basic, encodeURIComponent(token)],
    close: async () => {},
  };
}

function sshCredential(url: RepositoryUrl, entry: HostCredential | undefined): Credential {
  if (entry?.sshKeyFile === undefined || entry.knownHostsFile === undefined)
    throw new HivekeepError(
      'source/auth',
      `${url.display} needs an SSH key; the Git credentials have no sshKeyFile and knownHostsFile for ${url.authority}`,
    );
  const { sshKeyFile, knownHostsFile } = entry;
  return { id: `host ${url.authority} ${JSON.stringify(entry)}`, open: () => openSsh(sshKeyFile, knownHostsFile) };
}

/** ssh refuses a key that others may read, and mounted secrets are world-readable: it gets a private copy for the time of one command. */
async function openSsh(sshKeyFile: string, knownHostsFile: string): Promise<OpenCredential> {
  const folder = await mkdtemp(join(tmpdir(), 'hivekeep-ssh-key-')).catch((cause: unknown) => {
    throw new HivekeepError('source/auth', `the SSH key ${sshKeyFile} cannot be copied to ${tmpdir()}, which has to be writable`, {
      cause,
    });
  });
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const key = join(folder, 'key');
    const knownHosts = join(folder, 'known_hosts');
    await copyFile(sshKeyFile, key);
    await chmod(key, 0o600);
    await copyFile(knownHostsFile, knownHosts);
    return { env: { GIT_SSH_VARIANT: 'ssh', GIT_SSH_COMMAND: sshCommand(key, knownHosts) }, secrets: [], close };
  } catch (cause) {
    await close();
    throw new HivekeepError('source/auth', `the SSH key ${sshKeyFile} or ${knownHostsFile} could not be read`, { cause });
  }
}

function sshCommand(key: string, knownHosts: string): string {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${knownHosts}`,
    'GlobalKnownHostsFile=/dev/null',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'ConnectTimeout=20',
    'ServerAliveInterval=10',
    'ServerAliveCountMax=3',
    'ForwardAgent=no',
    'ClearAllForwardings=yes',
  ];
  return ['ssh', '-F', '/dev/null', '-i', key, ...options.map((option) => `-o ${option}`)].join(' ');
}

/** A mounted secret without its trailing line end. Throws `source/auth`; the content is in no message. */
async function readSecret(path: string): Promise<string> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new HivekeepError('source/auth', `the Git token file ${path} could not be read`, { cause });
  });
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_SECRET_BYTES + 1), 0, MAX_SECRET_BYTES + 1, 0);
    if (bytesRead > MAX_SECRET_BYTES)
      throw new HivekeepError('source/auth', `the Git token file ${path} is larger than ${MAX_SECRET_BYTES} bytes`);
    const secret = buffer.toString('utf8', 0, bytesRead).trim();
    if (secret === '') throw new HivekeepError('source/auth', `the Git token file ${path} is empty`);
    if (/[\r\n\0]/.test(secret)) throw new HivekeepError('source/auth', `the Git token file ${path} has more than one line`);
    return secret;
  } finally {
    await file.close();
  }
}
