import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { RenderEnvironment } from '@hivekeep/charts';
import { utc } from '@hivekeep/gotemplate';
import { encodeBase64, hashSync } from 'bcryptjs';
import { makeCertificate, privatePem } from './certificate.ts';
import { checkPair } from './check-pair.ts';

const NANOSECONDS = 1_000_000n;
/** Go's default, and its version of the format. */
const BCRYPT_PREFIX = '$2a$10$';
const SALT_BYTES = 16;

/** Time, random numbers, keys and certificates for templates: of this machine, in UTC. */
export function renderEnvironment(): RenderEnvironment {
  return {
    now: () => BigInt(Date.now()) * NANOSECONDS,
    localZone: utc,
    randomBytes: (count) => randomBytes(count),
    crypto: {
      privateKey: makeKey,
      certificate: (request) => makeCertificate(request, Date.now()),
      checkPair,
      bcrypt: (password) =>
        hashSync(Buffer.from(password).toString('utf8'), BCRYPT_PREFIX + encodeBase64([...randomBytes(SALT_BYTES)], SALT_BYTES)),
    },
  };
}

function makeKey(type: string): string {
  if (type === 'rsa') return privatePem(generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey);
  if (type === 'ecdsa') return privatePem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  if (type === 'dsa') return dsaPem();
  return privatePem(generateKeyPairSync('ed25519').privateKey);
}

/** OpenSSL's own form is PKCS#8; templates look at the header alone. */
function dsaPem(): string {
  return generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
