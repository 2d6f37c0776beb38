import type { Issue } from '@hivekeep/contracts';
import type { Position } from '@hivekeep/goyaml';

/** After that many a file is wrong as a whole, and more lines help nobody. */
const MAX_ISSUES = 200;

/** Collects every problem of one file. */
export class IssueList {
  readonly #file: string;
  readonly #issues: Issue[] = [];
  #overflowed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** `application` is the name of the application concerned, or empty. */
  add(issue: { readonly rule: string; readonly message: string; readonly path: string; readonly application: string }, at: Position): void {
    const { application, path, ...rest } = issue;
    this.append({
      file: this.#file,
      line: at.line,
      column: at.column,
      ...rest,
      ...(path !== '' && { path }),
      ...(application !== '' && { application }),
    });
  }

  append(issue: Issue): void {
    if (this.#issues.length < MAX_ISSUES) this.#issues.push(issue);
    else this.#overflowed = true;
  }

  /** No further problem is listed: there is no use in looking for more. */
  get full(): boolean {
    return this.#issues.length >= MAX_ISSUES;
  }

  /** Whether a problem of this kind was reported at this place. */
  has({ line, column, rule }: Pick<Issue, 'line' | 'column' | 'rule'>): boolean {
    return this.#issues.some((issue) => issue.line === line && issue.column === column && issue.rule === rule);
  }

  /** In the order of the file. */
  all(): Issue[] {
    const sorted = this.#issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    if (!this.#overflowed) return sorted;
    return [
      ...sorted,
      { file: this.#file, rule: 'too-many-issues', message: `more than ${MAX_ISSUES} problems; the others are not listed` },
    ];
  }
}

/** An issue as one line: `apps.yaml:7:5: applications[1] "shop": source.revision: is required`. */
export function formatIssue(issue: Issue): string {
  const [, index, field] = /^(applications\[\d+\])\.?(.*)$/.exec(issue.path ?? '') ?? [undefined, undefined, issue.path];
  const place = [issue.file, issue.line, issue.column].filter((part) => part !== undefined).join(':');
  const application = [index, issue.application && JSON.stringify(issue.application)].filter(Boolean).join(' ');
  return [place, application, field, issue.message].filter(Boolean).join(': ');
}
