import { endOf } from './certificates.ts';
import type { Finding } from './check.ts';

const DAY_MS = 86_400_000;
/** Told so long before: `deploy init` has renewed a server's certificate by then, if it was run. */
const TELL_DAYS = 60;

/** What becomes of the authority's certificate is no renewal: all it signed goes with it. */
const NEW_AUTHORITY = 'make a new authority, as docs/operations.md says';
const RENEW = 'run hivekeep deploy init on the folder, then deploy again';

/** Which of a folder's certificates, in PEM by file name, end soon or have ended. Pure. */
export function checkCertificates(certificates: Readonly<Record<string, string>>, now: Date): Finding[] {
  return Object.entries(certificates).flatMap(([file, pem]): Finding[] => {
    const end = endOf(pem);
    const left = end.getTime() - now.getTime();
    if (left > TELL_DAYS * DAY_MS) return [];
    const day = end.toISOString().slice(0, 10);
    const advice = file === 'ca.crt' ? NEW_AUTHORITY : RENEW;
    if (left <= 0) return [{ ok: false, what: `no valid ${file}: it ended on ${day}`, advice }];
    return [{ ok: true, warning: true, what: `${file} ends on ${day}`, advice }];
  });
}
