import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { RenderEnvironment } from '@hivekeep/charts';
import { utc } from '@hivekeep/gotemplate';

const NANOSECONDS = 1_000_000n;

/** Time, random numbers and keys for templates: of this machine, in UTC. Certificates and bcrypt are not made here. */
export function renderEnvironment(): RenderEnvironment {
  return {
    now: () => BigInt(Date.now()) * NANOSECONDS,
    localZone: utc,
    randomBytes: (count) => randomBytes(count),
    crypto: { privateKey: makeKey },
  };
}

/** In the forms that Go's PEM encoders give by type. */
function makeKey(type: string): string {
  if (type === 'rsa')
    return generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  if (type === 'ecdsa')
    return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
