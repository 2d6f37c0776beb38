import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeCertificate } from './certificate.ts';
import { checkPair } from './check-pair.ts';
import { renderEnvironment } from './render-environment.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const plain = { commonName: 'a.example.com', ips: [], dnsNames: [], days: 10, isAuthority: false, signer: undefined, key: undefined };

test('an authority signs a certificate that its readers accept', () => {
  const ca = makeCertificate({ ...plain, commonName: 'Ca é', isAuthority: true }, NOW);
  const signed = makeCertificate({ ...plain, ips: ['10.0.0.1', 'fe80::1', '::1'], dnsNames: ['a.example.com', 'b'], signer: ca }, NOW);
  const [authority, leaf] = [new X509Certificate(ca.cert), new X509Certificate(signed.cert)];
  expect(authority.verify(authority.publicKey)).toBe(true);
  expect(authority.ca).toBe(true);
  expect(leaf.verify(authority.publicKey)).toBe(true);
  expect(leaf.checkIssued(authority)).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.subject).toBe('CN=a.example.com');
  expect(leaf.subjectAltName).toBe(
    'DNS:a.example.com, DNS:b, IP Address:10.0.0.1, IP Address:FE80:0:0:0:0:0:0:1, IP Address:0:0:0:0:0:0:0:1',
  );
  expect(leaf.validFromDate.getTime()).toBe(NOW);
  expect(leaf.validToDate.getTime()).toBe(NOW + 10 * 86_400_000);
  expect(leaf.checkPrivateKey(createPrivateKey(signed.key))).toBe(true);
});

test.for(['ecdsa', 'ed25519'])('a key of type %s signs itself', (type) => {
  const key = renderEnvironment().crypto.privateKey?.(type) ?? '';
  const { cert, key: kept } = makeCertificate({ ...plain, days: 20_000, key }, NOW);
  const certificate = new X509Certificate(cert);
  expect(kept).toBe(key);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.validToDate.getUTCFullYear()).toBe(2080);
});

test.for([
  [{ ips: ['nowhere'] }, 'expected an IP address'],
  [{ key: 'nothing' }, 'expected a private key in PEM'],
  [{ signer: { cert: 'nothing', key: 'nothing' } }, 'expected a private key in PEM'],
] as const)('%j is refused', ([wrong, message]) => {
  expect(() => makeCertificate({ ...plain, ...wrong }, NOW)).toThrow(message);
});

test('bcrypt hashes are those of Go', () => {
  expect(renderEnvironment().crypto.bcrypt?.(Buffer.from('é'))).toMatch(/^\$2a\$10\$[./A-Za-z0-9]{53}$/);
});

describe('a certificate from elsewhere', () => {
  const pairOf = (type: string) => makeCertificate({ ...plain, key: renderEnvironment().crypto.privateKey?.(type) }, NOW);
  const { cert, key } = pairOf('ecdsa');
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' }).toString();

  test.for([
    ['with a key in SEC 1', cert, key],
    ['with a key in PKCS#8', `a word before\n${cert}`, pkcs8],
    ['with a key in PKCS#1', cert, createPrivateKey(pairOf('rsa').key).export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['with a key of Ed25519', cert, pairOf('ed25519').key],
  ] as const)('%s can be read', ([, cert, key]) => {
    expect(() => checkPair({ cert, key })).not.toThrow();
  });

  test.for([
    ['no PEM', 'nothing', key, 'expected a certificate in PEM'],
    ['a key for a certificate', key, key, 'the certificate cannot be read'],
    ['a key that is no PEM', cert, 'nothing', 'expected a private key in PEM'],
    ['a certificate for a key', cert, cert, 'expected a private key, found CERTIFICATE'],
    ['a key of another form than its header says', cert, pkcs8.replaceAll('PRIVATE', 'RSA PRIVATE'), 'expected pkcs1'],
    ['a key that is encrypted', cert, pkcs8.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'), 'found ENCRYPTED'],
  ] as const)('%s is refused', ([, cert, key, message]) => {
    expect(() => checkPair({ cert, key })).toThrow(message);
  });
});
