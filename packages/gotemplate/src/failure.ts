import { textOf } from './text/bytes.ts';

export type FailureCode = 'template/syntax' | 'template/execution' | 'template/limit';

export interface FailurePlace {
  /** The file that was parsed. */
  readonly template: string;
  /** From 1. */
  readonly line: number;
  /** Bytes from 1. */
  readonly column: number;
  /** The action as it is written, or the start of it; empty for a syntax error. */
  readonly action: string;
}

/** What went wrong where, in JavaScript text (made of byte strings). The message starts with `template:line:column`; `reason` is the rest of it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly code: FailureCode;
  readonly place: FailurePlace | undefined;
  readonly reason: string;

  constructor(code: FailureCode, reason: string, place?: FailurePlace) {
    super(textOf(place === undefined ? reason : `${place.template}:${place.line}:${place.column}: ${describe(place)}${reason}`));
    this.code = code;
    this.reason = textOf(reason);
    this.place = place && { ...place, template: textOf(place.template), action: textOf(place.action) };
  }
}

const describe = ({ action }: FailurePlace) => (action === '' ? '' : `at <${action}>: `);

/** Thrown by a function of a template; the executor adds where it was called. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
}

/** Thrown where a bound is exceeded; the executor adds where. Nothing in a template can catch it. */
export class LimitFailure extends Error {
  override readonly name = 'LimitFailure';
}

/** Line and column of a byte position. */
export function placeOf(template: string, source: string, position: number, action: string): FailurePlace {
  const before = source.slice(0, position);
  const line = before.split('\n').length;
  return { template, line, column: position - before.lastIndexOf('\n'), action };
}
