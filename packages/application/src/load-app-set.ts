import { createHash } from 'node:crypto';
import { formatDuration, HivekeepError, type Issue, type Spec, type Warning } from '@hivekeep/contracts';
import { decodeFirst, findDuplicateKeys, type YamlNode } from '@hivekeep/goyaml';
import { Fields, type Scope } from './fields.ts';
import { formatIssue, IssueList } from './issue-list.ts';
import { MIN_INTERVAL } from './policy.ts';
import { type LoadMode, type ReadApplication, readApplication } from './read-application.ts';
import { strictUrlPolicy, type UrlPolicy } from './repo-url.ts';
import { checkSet } from './set-rules.ts';

/** A file of exactly this size still loads. */
export const MAX_APP_SET_BYTES = 4 * 1024 * 1024;
/** Deeper than any app set can be. */
const MAX_DEPTH = 64;

export interface LoadOptions {
  /** Named in errors. */
  readonly file: string;
  /** What to do with an interval under 10 s: run it at 10 s and warn (`online`), or refuse it (`offline`). */
  readonly mode: LoadMode;
  readonly urlPolicy?: UrlPolicy;
}

export interface LoadedAppSet {
  readonly ok: true;
  /** In the order of the file, defaults applied. */
  readonly applications: Spec[];
  /** sha256 of the bytes, hex. */
  readonly digest: string;
  readonly warnings: Warning[];
}

/**
 * Reads and checks an app set whole. Throws `appset/too-large`, or `appset/invalid` with every problem found: file, line,
 * application and field of each.
 */
export function loadAppSet(bytes: Uint8Array, options: LoadOptions): LoadedAppSet {
  const { file } = options;
  if (bytes.byteLength > MAX_APP_SET_BYTES) {
    const message = `${file} has ${bytes.byteLength} bytes; an app set has at most ${MAX_APP_SET_BYTES}`;
    throw new HivekeepError('appset/too-large', message, { issues: [{ file, rule: 'too-large', message }] });
  }
  const issues = new IssueList(file);
  const read = translateYaml(file, () => {
    const { root, goesOn } = decodeFirst(bytes, { file, limits: { depth: MAX_DEPTH } });
    const duplicates = root === undefined ? [] : findDuplicateKeys(root, { file });
    const applications = readSet(root, { issues, file, path: '', application: '' }, options);
    // What is not read would count as departed.
    if (goesOn) issues.append({ file, rule: 'later-document', message: 'expected one document, found another behind its ---' });
    for (const issue of duplicates.map((duplicate) => ({ ...duplicate, rule: 'duplicate-key' })))
      if (issues.full || !issues.has(issue)) issues.append(issue);
    return applications;
  });
  checkSet(read);
  const found = issues.all();
  if (found.length > 0) throw invalid(file, found);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return {
    ok: true,
    applications: read.map(({ spec }) => spec),
    digest,
    warnings: read.flatMap((application) => clampWarnings(application, file)),
  };
}

function readSet(root: YamlNode | undefined, scope: Scope, options: LoadOptions): ReadApplication[] {
  const nothing: YamlNode = { kind: 'mapping', entries: [], tag: '', line: 1, column: 1 };
  const isEmpty = root === undefined || (root.kind === 'scalar' && root.style === 'plain' && ['', '~', 'null'].includes(root.text));
  const set = Fields.read({ node: isEmpty ? nothing : root, scope }, ['apiVersion', 'applications']);
  if (set === undefined) return [];
  const version = set.text('apiVersion');
  if (version !== undefined && version !== 'v1')
    set.problem('apiVersion', 'api-version', `expected v1 or nothing, found ${JSON.stringify(version)}`);
  const items = set.items('applications');
  if (set.isEmptyList('applications')) set.problem('applications', 'no-applications', 'there are no applications; at least one is needed');
  const urls = options.urlPolicy ?? strictUrlPolicy;
  return items.flatMap((item) => (scope.issues.full ? [] : (readApplication(item, options.mode, urls) ?? [])));
}

function translateYaml<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!HivekeepError.is(error, 'yaml/invalid')) throw error;
    const issues = (error.issues ?? []).map((issue) => ({ rule: 'yaml', ...issue }));
    throw new HivekeepError('appset/invalid', error.message, {
      cause: error,
      issues: issues.length > 0 ? issues : [{ file, message: error.message }],
    });
  }
}

function invalid(file: string, issues: readonly Issue[]): HivekeepError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new HivekeepError('appset/invalid', `${first === undefined ? file : formatIssue(first)}${more}`, { issues });
}

function clampWarnings({ spec, fields, clampedInterval }: ReadApplication, file: string): Warning[] {
  if (clampedInterval === undefined) return [];
  const message = `application ${JSON.stringify(spec.name)}: the interval ${formatDuration(clampedInterval)} is run at ${formatDuration(MIN_INTERVAL)}`;
  return [
    { rule: 'interval-clamped', message, file, line: fields.position('syncPolicy').line, path: `${fields.scope.path}.syncPolicy.interval` },
  ];
}
