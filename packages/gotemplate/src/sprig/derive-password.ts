import { toBytes } from '../text/bytes.ts';

/** What a password is derived from (strings are byte strings). */
export interface PasswordRequest {
  readonly counter: bigint;
  readonly type: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

interface Primitives {
  readonly scrypt: (
    password: Uint8Array,
    salt: Uint8Array,
    length: number,
    options: { N: number; r: number; p: number; maxmem: number },
  ) => Uint8Array;
  readonly sha256: (data: Uint8Array) => Uint8Array;
}

const SEED = 'com.lyndir.masterpassword';

const shapes: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: (
    'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv CvcvCvccnoCvcv ' +
    'CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv CvccCvccCvcvno CvcvnoCvccCvcc ' +
    'CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno'
  ).split(' '),
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

const alphabets: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};

/** The Master Password algorithm as Sprig has it; an unknown type is answered with a text that says so. */
export function derivePassword(request: PasswordRequest, { scrypt, sha256 }: Primitives): string {
  const forms = Object.hasOwn(shapes, request.type) ? shapes[request.type] : undefined;
  if (forms === undefined) return `cannot find password template ${request.type}`;
  const salt = toBytes(SEED + uint32(request.user.length) + request.user);
  const key = scrypt(toBytes(request.password), salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 64 * 1024 * 1024 });
  const seed = hmac(key, toBytes(SEED + uint32(request.site.length) + request.site + uint32(Number(request.counter))), sha256);
  const form = forms[(seed[0] ?? 0) % forms.length] ?? '';
  return [...form]
    .map((kind, index) => {
      const alphabet = alphabets[kind] ?? '';
      return alphabet.charAt((seed[index + 1] ?? 0) % alphabet.length);
    })
    .join('');
}

const uint32 = (value: number) => String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);

/** HMAC-SHA-256 with a key of one block (64 bytes). */
function hmac(key: Uint8Array, data: Uint8Array, sha256: Primitives['sha256']): Uint8Array {
  const inner = sha256(Buffer.concat([key.map((byte) => byte ^ 0x36), data]));
  return sha256(Buffer.concat([key.map((byte) => byte ^ 0x5c), inner]));
}
