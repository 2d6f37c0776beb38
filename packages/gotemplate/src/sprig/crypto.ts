import { createCipheriv, createDecipheriv, createHash, scryptSync } from 'node:crypto';
import type { CertificateRequest } from '../environment.ts';
import { type CallContext, contextual, type FunctionTable, fn } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { bytesOf, fromBytes, textOf, toBytes } from '../text/bytes.ts';
import { List, Struct, type Value } from '../values.ts';
import { derivePassword } from './derive-password.ts';
import { base64 } from './encodings.ts';

const AES_BLOCK = 16;
/** What takes a tenth of a second and more costs as many steps as would take that long. */
const costs = { derivation: 500_000, rsaKey: 500_000, key: 20_000, certificate: 200_000, bcrypt: 100_000 };

/** Go's key: the password in 32 bytes, cut or filled with zeros. */
function aesKey(password: string): Uint8Array {
  const key = new Uint8Array(32);
  key.set(toBytes(password.slice(0, 32)));
  return key;
}

function encryptAes(password: string, text: string, { environment }: CallContext): string {
  if (text === '') return '';
  const iv = environment.randomBytes(AES_BLOCK);
  const cipher = createCipheriv('aes-256-cbc', aesKey(password), iv);
  return base64(fromBytes(Buffer.concat([iv, cipher.update(toBytes(text)), cipher.final()])));
}

function decryptAes(password: string, text: string): string {
  if (text === '') return '';
  const data = strictBase64(text);
  if (data === undefined) throw new CallFailure('illegal base64 data');
  if (data.length <= AES_BLOCK || data.length % AES_BLOCK !== 0) throw new CallFailure('the text is no whole number of AES blocks');
  const cipher = createDecipheriv('aes-256-cbc', aesKey(password), data.subarray(0, AES_BLOCK));
  cipher.setAutoPadding(false);
  const plain = Buffer.concat([cipher.update(data.subarray(AES_BLOCK)), cipher.final()]);
  const padding = plain.at(-1) ?? 0;
  if (padding > plain.length) throw new CallFailure('slice bounds out of range');
  return fromBytes(plain.subarray(0, plain.length - padding));
}

/** Base64 as Go's decoder takes it; undefined for everything else. */
function strictBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\r\n]/g, '');
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact) ? Buffer.from(compact, 'base64') : undefined;
}

function missing(name: string): never {
  throw new CallFailure(`${name} is not available here; create the secret outside of the chart and refer to it`);
}

function bcrypt(password: string, name: string, { environment, meter }: CallContext): string {
  const hash = environment.crypto.bcrypt ?? missing(name);
  meter.charge(costs.bcrypt);
  if (password.length > 72) return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes';
  return fromCaller(() => hash(toBytes(password)));
}

const certificateOf = (cert: string, key: string) =>
  new Struct(
    'sprig.certificate',
    new Map<string, Value>([
      ['Cert', cert],
      ['Key', key],
    ]),
  );

function textsOf(list: List, what: string): string[] {
  return list.items.map((item) => {
    if (typeof item !== 'string') throw new CallFailure(`error parsing ${what}: not a string`);
    return textOf(item);
  });
}

/** What the caller's functions throw is an error of the call. */
function fromCaller<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new CallFailure(error instanceof Error ? bytesOf(error.message) : 'the key or certificate cannot be made');
  }
}

type Wanted = Omit<CertificateRequest, 'signer' | 'key' | 'ips' | 'dnsNames' | 'isAuthority'> & Partial<CertificateRequest>;

function generate(name: string, wanted: Wanted, { environment, meter }: CallContext): Struct {
  const make = environment.crypto.certificate ?? missing(name);
  meter.charge(costs.certificate);
  const request = { ips: [], dnsNames: [], isAuthority: false, signer: undefined, key: undefined, ...wanted };
  const { cert, key } = fromCaller(() => make({ ...request, commonName: textOf(request.commonName) }));
  return certificateOf(bytesOf(cert), bytesOf(key));
}

const names = (ips: List, dnsNames: List) => ({ ips: textsOf(ips, 'ip'), dnsNames: textsOf(dnsNames, 'alternate dns name') });
const signerOf = ({ fields }: Struct) => ({ cert: String(fields.get('Cert')), key: String(fields.get('Key')) });

function buildCustomCert(cert64: string, key64: string, { environment, meter }: CallContext): Struct {
  const [cert, key] = [strictBase64(cert64), strictBase64(key64)];
  if (!cert) throw new CallFailure('unable to decode base64 certificate');
  if (!key) throw new CallFailure('unable to decode base64 private key');
  const check = environment.crypto.checkPair ?? missing('buildCustomCert');
  meter.charge(costs.key);
  fromCaller(() => check({ cert: cert.toString('latin1'), key: key.toString('latin1') }));
  return certificateOf(fromBytes(cert), fromBytes(key));
}

export const cryptoFunctions: FunctionTable = {
  encryptAES: contextual(['string', 'string'], (context, password, text) => encryptAes(password, text, context)),
  decryptAES: fn(['string', 'string'], decryptAes),
  bcrypt: contextual(['string'], (context, password) => bcrypt(password, 'bcrypt', context)),
  htpasswd: contextual(['string', 'string'], (context, user, password) =>
    user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(password, 'htpasswd', context)}`,
  ),
  derivePassword: contextual(['uint32', 'string', 'string', 'string', 'string'], ({ meter }, counter, type, password, user, site) => {
    meter.charge(costs.derivation);
    return derivePassword({ counter, type, password, user, site }, { scrypt: scryptSync, sha256 });
  }),
  genPrivateKey: contextual(['string'], ({ environment, meter }, type) => {
    if (!['', 'rsa', 'dsa', 'ecdsa', 'ed25519'].includes(type)) return `Unknown type ${type}`;
    const make = environment.crypto.privateKey ?? missing('genPrivateKey');
    meter.charge(type === '' || type === 'rsa' || type === 'dsa' ? costs.rsaKey : costs.key);
    return fromCaller(() => make(type || 'rsa'));
  }),
  buildCustomCert: contextual(['string', 'string'], (context, cert, key) => buildCustomCert(cert, key, context)),
  genCA: contextual(['string', 'int'], (context, commonName, days) =>
    generate('genCA', { commonName, days: Number(days), isAuthority: true }, context),
  ),
  genCAWithKey: contextual(['string', 'int', 'string'], (context, commonName, days, key) =>
    generate('genCAWithKey', { commonName, days: Number(days), isAuthority: true, key }, context),
  ),
  genSelfSignedCert: contextual(['string', 'list', 'list', 'int'], (context, commonName, ips, dns, days) =>
    generate('genSelfSignedCert', { commonName, days: Number(days), ...names(ips, dns) }, context),
  ),
  genSelfSignedCertWithKey: contextual(['string', 'list', 'list', 'int', 'string'], (context, commonName, ips, dns, days, key) =>
    generate('genSelfSignedCertWithKey', { commonName, days: Number(days), ...names(ips, dns), key }, context),
  ),
  genSignedCert: contextual(['string', 'list', 'list', 'int', 'certificate'], (context, commonName, ips, dns, days, signer) =>
    generate('genSignedCert', { commonName, days: Number(days), ...names(ips, dns), signer: signerOf(signer) }, context),
  ),
  genSignedCertWithKey: contextual(
    ['string', 'list', 'list', 'int', 'certificate', 'string'],
    (context, commonName, ips, dns, days, signer, key) =>
      generate('genSignedCertWithKey', { commonName, days: Number(days), ...names(ips, dns), signer: signerOf(signer), key }, context),
  ),
};

const sha256 = (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest();
