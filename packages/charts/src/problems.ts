import { formatIssue, IssueList, type Scope } from '@hivekeep/application';
import { type ErrorCode, HivekeepError, type Issue } from '@hivekeep/contracts';
import { decodeNodes, findDuplicateKeys, type YamlNode } from '@hivekeep/goyaml';

/** Deeper than any document of the format can be. */
const MAX_DEPTH = 64;

/** An error that shows its first issue and holds all of them. */
export function chartError(issues: readonly Issue[], code: ErrorCode = 'chart/invalid'): HivekeepError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new HivekeepError(code, `${first === undefined ? 'the chart is not valid' : formatIssue(first)}${more}`, { issues });
}

/** The issues of an error of ours, or its message as the only one. */
export function issuesOf(error: unknown, file?: string): Issue[] {
  if (!(error instanceof HivekeepError)) throw error;
  return [...(error.issues ?? [{ ...(file !== undefined && { file }), message: error.message }])];
}

/** What was made of a document, and all that is wrong with it. */
export interface Read<T> {
  readonly value: T;
  readonly issues: readonly Issue[];
}

/**
 * Reads the first document of a YAML file field by field. `read` is given its root, undefined when there is none, and reports to
 * the scope. What is no YAML, and duplicate keys anywhere, become issues; `value` is undefined when nothing could be read.
 */
export function readDocument<T>(
  bytes: Uint8Array,
  file: string,
  read: (root: YamlNode | undefined, scope: Scope) => T,
): Read<T | undefined> {
  const issues = new IssueList(file);
  try {
    const root = decodeNodes(bytes, { file, limits: { depth: MAX_DEPTH } });
    const duplicates = root === undefined ? [] : findDuplicateKeys(root, { file });
    const value = read(root, { issues, file, path: '', application: '' });
    for (const duplicate of duplicates.map((issue) => ({ ...issue, rule: 'duplicate-key' })))
      if (!issues.has(duplicate)) issues.append(duplicate);
    return { value, issues: issues.all() };
  } catch (error) {
    if (!HivekeepError.is(error, 'yaml/invalid')) throw error;
    return { value: undefined, issues: [...issues.all(), ...issuesOf(error, file)] };
  }
}

/** Whether a document holds nothing: none at all, or a null. */
export function isEmptyDocument(root: YamlNode | undefined): boolean {
  return root === undefined || (root.kind === 'scalar' && root.style === 'plain' && ['', '~', 'null', 'Null', 'NULL'].includes(root.text));
}
