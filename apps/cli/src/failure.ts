import type { Issue } from '@hivekeep/contracts';
import { EXIT, type ExitCode } from './exit-status.ts';

/** A command that ends with a status and has said why already, or whose status is its answer (a diff that differs). */
export class Exit extends Error {
  override readonly name = 'Exit';
  readonly code: ExitCode;

  constructor(code: ExitCode) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** The status that a command ended with by itself, if it did. Some commands are bundles with a class of their own: known by its name. */
export function exitCodeIn(thrown: unknown): number | undefined {
  return thrown instanceof Error && thrown.name === 'Exit' && 'code' in thrown ? Number(thrown.code) : undefined;
}

/** What went wrong, as text for a person and a status. */
export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/**
 * Reads any thrown value. Services are bundles of their own with their own error class, so ours is known by its name.
 * `exitCodeOf` is given because it loads the contracts, which a start with nothing wrong does not need.
 */
export function failureOf(thrown: unknown, exitCodeOf: (code: string) => number): Failure {
  if (!(thrown instanceof Error)) return { text: String(thrown), exitCode: EXIT.internal };
  if (thrown.name !== 'HivekeepError' || !('code' in thrown))
    return { text: `unexpected failure: ${thrown.stack ?? thrown.message}`, exitCode: EXIT.internal };
  const code = String(thrown.code);
  const issues = 'issues' in thrown && Array.isArray(thrown.issues) ? (thrown.issues as Issue[]) : [];
  const cause = code === 'internal' && thrown.cause instanceof Error ? [thrown.cause.stack ?? thrown.cause.message] : [];
  const [first] = issues;
  // a message that begins with the first issue says nothing that the list does not
  const told = first && thrown.message.startsWith(issueLine({ ...first, rule: undefined })) ? [] : [thrown.message];
  return { text: [...told, ...issues.map(issueLine), ...cause].join('\n  '), exitCode: exitCodeOf(code) };
}

/** `apps.yaml:3:7: shop: source.revision: expected …`, with the parts that are known. */
export function issueLine({ file, line, column, application, path, rule, message }: Issue): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const parts = [place, application, path, message].filter((part) => part !== undefined && part !== '');
  return `${parts.join(': ')}${rule === undefined ? '' : ` [${rule}]`}`;
}
