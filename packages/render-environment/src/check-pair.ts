import { createPrivateKey, X509Certificate } from 'node:crypto';
import { HivekeepError } from '@hivekeep/contracts';
import type { Certificate } from '@hivekeep/gotemplate';
import { membersOf } from './der.ts';

/** Forms of private keys by the first word of their PEM header, and the tag of what follows the version; without a word it is PKCS#8. */
const KEY_FORMS: Readonly<Record<string, { readonly type: 'pkcs8' | 'pkcs1' | 'sec1'; readonly tag: number }>> = {
  '': { type: 'pkcs8', tag: 0x30 },
  RSA: { type: 'pkcs1', tag: 0x02 },
  EC: { type: 'sec1', tag: 0x04 },
};

/** Looks whether a certificate and a private key can be read, as Sprig does: the first block of each. Throws `chart/invalid` with what cannot. */
export function checkPair({ cert, key }: Certificate): void {
  const certificate = firstBlock(cert) ?? refuse('expected a certificate in PEM');
  if (!reads(() => new X509Certificate(certificate.bytes))) refuse('the certificate cannot be read: expected X.509');
  const block = firstBlock(key) ?? refuse('expected a private key in PEM');
  const [, word = ''] = /^(?:(.*) )?PRIVATE KEY$/.exec(block.type) ?? refuse(`expected a private key, found ${block.type}`);
  if (word === 'DSA') return; // OpenSSL has no reader of its bytes alone; nothing is done with the key
  const form = KEY_FORMS[word] ?? refuse(`expected an RSA, EC or DSA key, found ${word}`);
  if (!reads(() => readKey(block.bytes, form))) refuse(`the private key cannot be read: expected ${form.type}`);
}

/** OpenSSL reads a key in whatever form, so it is looked at first. */
function readKey(bytes: Uint8Array, { type, tag }: (typeof KEY_FORMS)[string]): void {
  if (membersOf(bytes)[1]?.[0] !== tag) throw new RangeError('another form');
  createPrivateKey({ key: Buffer.from(bytes), format: 'der', type });
}

interface Block {
  /** `CERTIFICATE`, `RSA PRIVATE KEY`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

function firstBlock(pem: string): Block | undefined {
  const [, type, base64] = /^-----BEGIN ([^\n]+)-----\r?\n(?:[^\n]*: [^\n]*\n)*([A-Za-z0-9+/=\s]*)-----END \1-----/m.exec(pem) ?? [];
  return type === undefined || base64 === undefined ? undefined : { type, bytes: Buffer.from(base64, 'base64') };
}

function reads(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

function refuse(message: string): never {
  throw new HivekeepError('chart/invalid', message);
}
