import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import { z } from 'zod';

const Entry = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});
const DockerConfig = z.object({
  auths: z.record(z.string(), Entry).default({}),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});

const DOCKER_HUB = 'docker.io';
/** The key `docker login` writes for Docker Hub, and the server address its daemon expects. */
const HUB_ADDRESS = 'https://index.docker.io/v1/';
const MAX_BYTES = 1024 * 1024;

/** Where an application's credentials are mounted. */
export interface RegistryAuthOptions {
  /** The folder of mounted secrets. */
  readonly dir?: string;
}

/**
 * The value of `X-Registry-Auth` for an image, from a docker `config.json` with static `auths` in a mounted file; undefined when the
 * file has nothing for the image's registry. The file is read at each use, so that it can be replaced.
 * @throws HivekeepError `config/invalid` when the file is missing, is none, or uses a credential helper
 */
export async function registryAuthFor(secret: string, image: string, options: RegistryAuthOptions = {}): Promise<string | undefined> {
  const config = await readConfig(secret, options.dir ?? '/run/secrets');
  const registry = registryOf(image);
  const found = Object.entries(config.auths).find(([key]) => hostOf(key) === registry);
  if (!found) return undefined;
  const [key, entry] = found;
  const serveraddress = registry === DOCKER_HUB ? HUB_ADDRESS : key.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  return Buffer.from(JSON.stringify({ ...credentials(entry, secret), serveraddress })).toString('base64url');
}

/** The registry's host (and port) of an image reference, `docker.io` when it names none. Source: distribution/reference. */
export function registryOf(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isHost = first.includes('.') || first.includes(':') || first === 'localhost' || first !== first.toLowerCase();
  return isHost ? hostOf(first) : DOCKER_HUB;
}

function hostOf(key: string): string {
  const host = key.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  return host === 'index.docker.io' || host === 'registry-1.docker.io' ? DOCKER_HUB : host;
}

async function readConfig(secret: string, dir: string): Promise<z.infer<typeof DockerConfig>> {
  if (secret !== basename(secret) || secret === '' || secret.startsWith('.'))
    throw new HivekeepError('config/invalid', `registryAuth: expected the name of a mounted secret, found ${JSON.stringify(secret)}`);
  const text = await readFile(join(dir, secret), 'utf8').catch((cause: unknown) => {
    throw new HivekeepError('config/invalid', `registryAuth: can't read secret ${secret}; mount it into the reconciler`, { cause });
  });
  // The parser's own error may quote the file, which is secret: it is not kept as a cause.
  const config = text.length > MAX_BYTES ? undefined : parseConfig(text);
  if (!config) throw new HivekeepError('config/invalid', `registryAuth: expected a docker config.json with auths in secret ${secret}`);
  if (config.credsStore || Object.keys(config.credHelpers ?? {}).length > 0)
    throw new HivekeepError(
      'config/invalid',
      `registryAuth: secret ${secret} uses credsStore or credHelpers, which can't run here; write static auths`,
    );
  return config;
}

function parseConfig(text: string): z.infer<typeof DockerConfig> | undefined {
  try {
    return DockerConfig.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function credentials(entry: z.infer<typeof Entry>, secret: string): Record<string, string> {
  if (entry.identitytoken) return { identitytoken: entry.identitytoken };
  if (entry.auth === undefined) return { username: entry.username ?? '', password: entry.password ?? '' };
  const pair = Buffer.from(entry.auth, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0) throw new HivekeepError('config/invalid', `registryAuth: expected base64 of user:password in an auth of secret ${secret}`);
  return { username: pair.slice(0, colon), password: pair.slice(colon + 1).replace(/\0+$/, '') };
}
