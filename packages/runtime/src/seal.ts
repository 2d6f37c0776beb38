import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { HivekeepError } from '@hivekeep/contracts';

export interface SealingKeys {
  /** Raw X25519 public key, base64: goes with a request. */
  readonly publicKey: string;
  /** Stays in this process. */
  readonly privateKey: KeyObject;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The fixed head of an X25519 SubjectPublicKeyInfo (RFC 8410); the raw key follows. */
const SPKI_HEAD = Buffer.from('302a300506032b656e032100', 'hex');
const INFO = 'hivekeep.seal/v1';

/** A key pair to receive sealed contents with; make one per request. */
export function sealingKeys(): SealingKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return { publicKey: rawPublicKey(publicKey).toString('base64'), privateKey };
}

/**
 * Encrypts for the holder of one private key: ephemeral X25519, HKDF-SHA256, AES-256-GCM. Gives base64 of ephemeral public key,
 * nonce, tag and ciphertext. Throws `bus/invalid-message` when the public key is none.
 */
export function sealTo(publicKey: string, bytes: Uint8Array): string {
  const recipient = readPublicKey(Buffer.from(publicKey, 'base64'));
  const ephemeral = generateKeyPairSync('x25519');
  const sender = rawPublicKey(ephemeral.publicKey);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sharedKey(ephemeral.privateKey, recipient, sender, rawPublicKey(recipient)), nonce);
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([sender, nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
}

/** What was sealed to the key's public half. Throws `bus/invalid-message` when it was sealed to another key, cut or changed. */
export function openSealed(privateKey: KeyObject, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const sender = bytes.subarray(0, KEY_BYTES);
    const nonce = bytes.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES);
    const tag = bytes.subarray(KEY_BYTES + NONCE_BYTES, KEY_BYTES + NONCE_BYTES + TAG_BYTES);
    const recipient = rawPublicKey(createPublicKey(privateKey));
    const key = sharedKey(privateKey, readPublicKey(sender), sender, recipient);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(KEY_BYTES + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new HivekeepError('bus/invalid-message', 'sealed contents could not be opened: they are damaged or were sealed to another key', {
      cause,
    });
  }
}

function sharedKey(own: KeyObject, other: KeyObject, sender: Buffer, recipient: Buffer): Buffer {
  const secret = diffieHellman({ privateKey: own, publicKey: other });
  return Buffer.from(hkdfSync('sha256', secret, Buffer.concat([sender, recipient]), INFO, KEY_BYTES));
}

function rawPublicKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD.length);
}

function readPublicKey(raw: Buffer): KeyObject {
  if (raw.length !== KEY_BYTES)
    throw new HivekeepError('bus/invalid-message', `expected a public key of ${KEY_BYTES} bytes, found ${raw.length}`);
  return createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
}
