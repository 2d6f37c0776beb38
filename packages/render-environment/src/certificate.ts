import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP, SocketAddress } from 'node:net';
import { HivekeepError } from '@hivekeep/contracts';
import type { Certificate, CertificateRequest } from '@hivekeep/gotemplate';
import { bits, type Der, der, integer, membersOf, nothing, octets, oid, sequence, setOf, time, utf8, yes } from './der.ts';

/** The profile of Sprig's certificates: X.509 v3 for servers and clients; an authority may sign too. */

const DAY_MS = 86_400_000;
const SERIAL_BYTES = 16;
const COMMON_NAME = '2.5.4.3';

/** How a key signs: the name of the algorithm and its hash. */
function signingOf(key: KeyObject): { readonly algorithm: Der; readonly hash: string | null } {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { algorithm: sequence(oid('1.2.840.113549.1.1.11'), nothing), hash: 'sha256' };
    case 'ec':
      return { algorithm: sequence(oid('1.2.840.10045.4.3.2')), hash: 'sha256' };
    case 'ed25519':
      return { algorithm: sequence(oid('1.3.101.112')), hash: null };
    default:
      throw new HivekeepError(
        'chart/invalid',
        `a key of type ${key.asymmetricKeyType} cannot sign certificates; use rsa, ecdsa or ed25519`,
      );
  }
}

/** A private key as Go's PEM encoders write it. */
export function privatePem(key: KeyObject): string {
  const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8';
  return key.export({ type, format: 'pem' }).toString();
}

/** Makes a certificate and its key, valid from now (milliseconds since 1970). Throws `chart/invalid` for what it cannot read. */
export function makeCertificate(request: CertificateRequest, now: number): Certificate {
  const key = request.key === undefined ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey : readKey(request.key);
  const signer = request.signer === undefined ? key : readKey(request.signer.key);
  const subject = nameOf(request.commonName);
  const issuer = request.signer === undefined ? subject : subjectOf(request.signer.cert);
  const { algorithm, hash } = signingOf(signer);
  const body = sequence(
    der(0xa0, integer(Uint8Array.of(2))),
    integer(serial()),
    algorithm,
    issuer,
    sequence(time(now), time(now + request.days * DAY_MS)),
    subject,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensionsOf(request))),
  );
  const signed = sequence(body, algorithm, bits(sign(hash, body, signer)));
  return { cert: pem(signed), key: privatePem(key) };
}

function readKey(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw new HivekeepError('chart/invalid', 'expected a private key in PEM');
  }
}

/** The issuer of what it signs: a certificate's own subject, byte for byte. */
function subjectOf(cert: string): Der {
  const [body] = membersOf(readCertificate(cert).raw);
  const subject = body && membersOf(body)[5];
  if (subject === undefined) throw new HivekeepError('chart/invalid', 'expected a certificate of X.509 version 3');
  return subject;
}

function readCertificate(cert: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch {
    throw new HivekeepError('chart/invalid', 'expected a certificate in PEM');
  }
}

const nameOf = (commonName: string) => sequence(setOf(sequence(oid(COMMON_NAME), utf8(commonName))));

/** Positive, and of one length. */
function serial(): Uint8Array {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function extensionsOf({ isAuthority, ips, dnsNames }: CertificateRequest): Der[] {
  const usage = isAuthority ? bits(Uint8Array.of(0xa4), 2) : bits(Uint8Array.of(0xa0), 5); // signature, encipherment, certificates
  const extensions = [
    sequence(oid('2.5.29.15'), yes, octets(usage)),
    sequence(oid('2.5.29.37'), octets(sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2')))),
    sequence(oid('2.5.29.19'), yes, octets(isAuthority ? sequence(yes) : sequence())),
  ];
  const names = [...dnsNames.map((name) => der(0x82, Buffer.from(name, 'utf8'))), ...ips.map((ip) => der(0x87, addressOf(ip)))];
  return names.length === 0 ? extensions : [...extensions, sequence(oid('2.5.29.17'), octets(sequence(...names)))];
}

/** 4 or 16 bytes. */
function addressOf(ip: string): Uint8Array {
  const version = isIP(ip);
  if (version === 0) throw new HivekeepError('chart/invalid', `expected an IP address, found ${JSON.stringify(ip)}`);
  if (version === 4) return Uint8Array.from(ip.split('.').map(Number));
  const [head = '', tail = ''] = new SocketAddress({ address: ip, family: 'ipv6' }).address.split('::');
  const groups = (half: string) => half.split(':').filter((group) => group !== '');
  const [front, back] = [groups(head), groups(tail)];
  const all = [...front, ...Array(8 - front.length - back.length).fill('0'), ...back];
  return Uint8Array.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}

function pem(encoded: Der): string {
  const lines = Buffer.from(encoded)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
