import { HivekeepError, type Issue, type Warning } from '@hivekeep/contracts';
import { type DeviationId, deviations, type Quirks } from './deviations.ts';
import type { RuleId } from './rules.ts';

/** Where in a document: keys and list positions from its root. */
export type Path = readonly (string | number)[];

/** `services.web.ports[1]`; keys with other characters stand in quotes. */
export function formatPath(path: Path): string {
  let out = '';
  for (const part of path) {
    if (typeof part === 'number') out += `[${part}]`;
    else if (/^[\w.-]+$/.test(part)) out += out === '' ? part : `.${part}`;
    else out += `[${JSON.stringify(part)}]`;
  }
  return out;
}

/** Where something stands in the files of a stack; lines and columns count from 1. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Finds the place of a path. `depth`: how many parts of the path are there. */
export type Locator = (path: Path) => Place & { readonly depth: number };

export const nowhere: Locator = () => ({ depth: 0 });

/** Finds a path in the last of several documents that has most of it. */
export function lastOf(locators: readonly Locator[]): Locator {
  return (path) => {
    const places = locators.map((locate) => locate(path));
    return places.reduce((best, place) => (place.depth > 0 && place.depth >= best.depth ? place : best), nowhere(path));
  };
}

const MAX_ISSUES = 100;
const UNSUPPORTED = 'unsupported';
const MAX_WARNINGS = 1000;
const NO_QUIRKS: Quirks = new Set();

/** What is wrong and what is odd in the documents of one stack, collected so that a person sees all of it at once. */
export class Problems {
  readonly issues: Issue[] = [];
  readonly warnings: Warning[] = [];
  /** Deviations from the docker CLI that apply. */
  readonly deviating = new Set<DeviationId>();
  readonly #locator: Locator;
  readonly #quirks: Quirks;

  constructor(locator: Locator = nowhere, quirks: Quirks = NO_QUIRKS) {
    this.#locator = locator;
    this.#quirks = quirks;
  }

  /** The same lists, with positions in another document. */
  at(locator: Locator): Problems {
    const next = new Problems(locator, this.#quirks);
    return Object.assign(next, { issues: this.issues, warnings: this.warnings, deviating: this.deviating });
  }

  /** Notes that the docker CLI would do something else here. True when its way is to be followed. */
  deviate(id: DeviationId, path: Path): boolean {
    this.deviating.add(id);
    if (this.#quirks.has(id)) return true;
    this.warn(id, path, deviations[id]);
    return false;
  }

  add(path: Path, message: string): void {
    if (this.full) return;
    this.issues.push({ ...this.#where(path), message });
  }

  /** Whether no more issues are taken, so that none need be found. */
  get full(): boolean {
    return this.issues.length >= MAX_ISSUES;
  }

  /** A key that is known elsewhere and not built here. */
  unsupported(path: Path, message: string): void {
    if (!this.full) this.issues.push({ ...this.#where(path), rule: UNSUPPORTED, message });
  }

  warn(rule: RuleId | DeviationId, path: Path, message: string): void {
    if (this.warnings.length >= MAX_WARNINGS) return;
    const { column: _, ...where } = this.#where(path);
    this.warnings.push({ rule, message, ...where });
  }

  /** Throws what has been collected, if anything, with every issue. */
  refuse(): void {
    if (this.issues.length === 0) return;
    throw composeError(this.issues);
  }

  #where(path: Path): Place & { path?: string } {
    const { depth: _depth, ...place } = this.#locator(path);
    return { ...place, ...(path.length > 0 && { path: formatPath(path) }) };
  }
}

/** Numbers that JavaScript cannot hold exactly cannot be compared, stored or sent. */
export function refuseHuge(value: unknown, problems: Problems, path: Path = []): void {
  if (typeof value === 'bigint') problems.add(path, `the number ${value} is beyond 2^53`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) refuseHuge(item, problems, [...path, Array.isArray(value) ? Number(key) : key]);
}

/**
 * An error whose message is the first issue in full and whose issues are all of them: `compose/unsupported` when nothing is
 * wrong but keys that are not built, else `compose/invalid`.
 */
export function composeError(issues: readonly Issue[]): HivekeepError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const code = issues.length > 0 && issues.every(({ rule }) => rule === UNSUPPORTED) ? 'compose/unsupported' : 'compose/invalid';
  return new HivekeepError(code, `${first ? formatIssue(first) : 'the compose file is not valid'}${more}`, { issues });
}

function formatIssue(issue: Issue): string {
  const position = [issue.file, issue.line, issue.column].filter((part) => part !== undefined).join(':');
  return [position, issue.path, issue.message].filter(Boolean).join(': ');
}
