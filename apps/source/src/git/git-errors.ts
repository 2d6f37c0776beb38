import { type ErrorCode, HivekeepError } from '@hivekeep/contracts';
import { redactUrl } from './repository-url.ts';
import type { GitOutcome } from './run-git.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly message: string;
}

/** What git, curl and ssh say in the C locale, most specific first. */
const RULES: readonly Rule[] = [
  {
    pattern: /Authentication failed|could not read (Username|Password)|returned error: 40[13]|terminal prompts disabled/i,
    code: 'source/auth',
    message: 'the Git server refused the credential; check the token and what it may read',
  },
  {
    pattern: /Host key verification failed/i,
    code: 'source/auth',
    message: 'the host key of the Git server is not in the known_hosts file given for it',
  },
  {
    pattern: /Permission denied \(|publickey|invalid format|error in libcrypto/i,
    code: 'source/auth',
    message: 'the Git server refused the SSH key',
  },
  {
    pattern: /returned error: 30\d/i,
    code: 'source/refused',
    message: 'the Git server redirects to another address; redirects are not followed, write the address it redirects to',
  },
  {
    pattern: /returned error: 429|Too Many Requests/i,
    code: 'source/unreachable',
    message: 'the Git server asks for fewer requests (429)',
  },
  {
    pattern: /returned error: 404|repository .* not found|does not appear to be a git repository|Repository not found/i,
    code: 'source/unreachable',
    message: 'there is no repository at this address, or the credential may not see it',
  },
  {
    pattern: /Operation too slow|transfer rate|timed out|Connection timeout/i,
    code: 'source/timeout',
    message: 'the Git server did not answer in time',
  },
  { pattern: /transport '.*' not allowed/i, code: 'source/refused', message: 'this transport is not allowed' },
  {
    pattern: /dubious ownership/i,
    code: 'source/refused',
    message: 'the repository on this machine belongs to another user than the one this runs as',
  },
  { pattern: /SSL|certificate/i, code: 'source/unreachable', message: 'the certificate of the Git server could not be verified' },
];

const CORRUPTION =
  /not a git repository|object file .* is empty|is corrupt|corrupt |bad object|bad tree object|packfile .* (cannot|does not match)|unable to read (sha1 file|tree)|inflate: data stream error|index file .* is too small|did not send all necessary objects|invalid sha1 pointer/i;

/** Whether git complains about what it stores, so that a mirror made anew may help. */
export function looksCorrupt(stderr: string): boolean {
  return stderr.split('\n').some((line) => !line.startsWith('remote:') && CORRUPTION.test(line));
}

/**
 * The failure of a network command as an error of ours. `where` is the address for people; `secrets` are values that a server
 * might send back.
 */
export function translateGitFailure(outcome: GitOutcome, where: string, secrets: readonly string[]): HivekeepError {
  const rule = RULES.find(({ pattern }) => pattern.test(outcome.stderr));
  const complaint = complaintOf(outcome.stderr, secrets);
  if (rule) return new HivekeepError(rule.code, `${where}: ${rule.message}`, { cause: new Error(complaint) });
  return new HivekeepError('source/unreachable', `${where}: ${complaint || `git ended with code ${outcome.exitCode}`}`);
}

/** git's last complaint, at most 300 characters, addresses and secrets redacted; what the server itself says is left out. */
function complaintOf(stderr: string, secrets: readonly string[]): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('remote:'));
  const complaint = lines.findLast((line) => /^(fatal|error|ssh):/.test(line)) ?? lines.at(-1) ?? '';
  const withoutSecrets = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), complaint);
  return redactUrl(withoutSecrets)
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 300);
}
