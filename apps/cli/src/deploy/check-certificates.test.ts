import { expect, test } from 'vitest';
import { createAuthority, createServerCertificate } from './certificates.ts';
import { checkCertificates } from './check-certificates.ts';

const MADE = new Date('2026-06-01T00:00:00Z');
const DAY_MS = 86_400_000;
const after = (days: number) => new Date(MADE.getTime() + days * DAY_MS);

const authority = await createAuthority(MADE);
const server = await createServerCertificate(authority, ['nats'], MADE);
const folder = { 'ca.crt': authority.certificate, 'nats.crt': server.certificate };

test('certificates that last are not mentioned', () => {
  expect(checkCertificates(folder, MADE)).toEqual([]);
  expect(checkCertificates(folder, after(825 - 61))).toEqual([]);
});

test('one that ends within 60 days is a warning, and one that has ended a lack', () => {
  expect(checkCertificates(folder, after(825 - 59))).toEqual([
    { ok: true, warning: true, what: 'nats.crt ends on 2028-09-03', advice: 'run hivekeep deploy init on the folder, then deploy again' },
  ]);
  expect(checkCertificates(folder, after(826))).toMatchObject([{ ok: false, what: 'no valid nats.crt: it ended on 2028-09-03' }]);
});

test("the authority's own is not renewed by another run", () => {
  const [finding] = checkCertificates({ 'ca.crt': authority.certificate }, after(3_650 - 10));
  expect(finding).toMatchObject({ ok: true, warning: true, advice: expect.stringContaining('new authority') });
});
