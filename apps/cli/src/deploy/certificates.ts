import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its private key (PKCS#8), both in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** Renewed by every run of `deploy init` in its last third. */
const SERVER_DAYS = 825;

/** Makes a private certificate authority for one installation. */
export async function createAuthority(now: Date): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=hivekeep',
    keys,
    signingAlgorithm: KEY,
    ...lifetime(now, AUTHORITY_DAYS),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exported(keys.privateKey) };
}

/** Makes a server's certificate, signed by an authority, for these host names and addresses. */
export async function createServerCertificate(authority: KeyPair, names: readonly string[], now: Date): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certificate);
  const keys = await newKeys();
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }))),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${names[0] ?? 'hivekeep'}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await imported(authority.key),
    signingAlgorithm: KEY,
    ...lifetime(now, SERVER_DAYS),
    extensions,
  });
  return { certificate: certificate.toString('pem'), key: await exported(keys.privateKey) };
}

/** Whether a server's certificate is for all these names and has a third of its life left. */
export function isCurrent(certificate: string, names: readonly string[], now: Date): boolean {
  const parsed = new X509Certificate(certificate);
  const extension = parsed.getExtension(SubjectAlternativeNameExtension);
  const found = new Set(extension?.names.items.map(({ value }) => value));
  return names.every((name) => found.has(name)) && parsed.notAfter.getTime() - now.getTime() > (SERVER_DAYS / 3) * DAY_MS;
}

/** When a certificate, in PEM, ends. */
export function endOf(certificate: string): Date {
  return new X509Certificate(certificate).notAfter;
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
}

/** From an hour ago: clocks of nodes differ. */
function lifetime(now: Date, days: number): { notBefore: Date; notAfter: Date; serialNumber: string } {
  const serialNumber = Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex');
  return {
    notBefore: new Date(now.getTime() - DAY_MS / 24),
    notAfter: new Date(now.getTime() + days * DAY_MS),
    serialNumber: `01${serialNumber}`,
  };
}

async function exported(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

function imported(pem: string): Promise<webcrypto.CryptoKey> {
  const [key = new ArrayBuffer(0)] = PemConverter.decode(pem);
  return webcrypto.subtle.importKey('pkcs8', key, KEY, true, ['sign']);
}
