import { Fields, type Item, type Scope } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { dealias, entriesOf, type YamlNode } from '@hivekeep/goyaml';
import { chartError, readDocument } from '../problems.ts';

/** One version of a chart in a repository. */
export interface IndexEntry {
  readonly name: string;
  readonly version: string;
  readonly appVersion?: string;
  readonly description?: string;
  /** Of the archive; as written, perhaps relative. */
  readonly url: string;
  readonly digest?: string;
}

/** `index.yaml` of a repository: versions of each chart in the order of the file. */
export type RepositoryIndex = ReadonlyMap<string, readonly IndexEntry[]>;

/** Reads an index; unknown keys are passed over. Throws `chart/invalid` with every problem of it. */
export function readRepositoryIndex(bytes: Uint8Array, file: string): RepositoryIndex {
  const { value, issues } = readDocument(bytes, file, readRoot);
  if (value === undefined || issues.length > 0) throw chartError(issues);
  return value;
}

/**
 * The entry of an exact version; a leading `v` and build metadata make no difference, ranges are not understood. `sameVersion` compares
 * two versions by the chart order. Throws `chart/not-found`, naming what there is.
 */
export function findVersion(
  index: RepositoryIndex,
  wanted: { readonly repository: string; readonly chart: string; readonly version: string },
  sameVersion: (a: string, b: string) => boolean,
): IndexEntry {
  const { repository, chart, version } = wanted;
  const entries = index.get(chart) ?? [];
  const found = entries.find((entry) => sameVersion(entry.version, version));
  if (found) return found;
  const known = entries.slice(0, 5).map((entry) => entry.version);
  const hint =
    known.length > 0 ? `it has ${known.join(', ')}${entries.length > known.length ? ', …' : ''}` : 'it has no chart of that name';
  throw new HivekeepError(
    'chart/not-found',
    `the repository ${repository} has no ${chart} ${version}; ${hint}. A version is exact, never a range`,
  );
}

/** Where the archive of an entry is: a relative address starts at the repository's. */
export function archiveUrl(repositoryUrl: string, entry: IndexEntry): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(entry.url) ? entry.url : `${repositoryUrl.replace(/\/+$/, '')}/${entry.url}`;
}

function readRoot(root: YamlNode | undefined, scope: Scope): RepositoryIndex {
  const index = new Map<string, readonly IndexEntry[]>();
  const nothing: YamlNode = { kind: 'mapping', entries: [], tag: '', line: 1, column: 1 };
  const fields = Fields.read({ node: root ?? nothing, scope });
  if (fields === undefined || !fields.has('entries')) return index;
  const charts = fields.mapping('entries');
  if (charts === undefined) return index;
  for (const name of chartNames(root)) {
    const entries = charts.items(name).flatMap((item) => readEntry(name, item) ?? []);
    index.set(name, entries);
  }
  return index;
}

function chartNames(root: YamlNode | undefined): string[] {
  const content = root && dealias(root);
  if (content?.kind !== 'mapping') return [];
  const entries = entriesOf(content).find(({ key }) => key === 'entries');
  const charts = entries && dealias(entries.value);
  return charts?.kind === 'mapping' ? entriesOf(charts).map(({ key }) => key) : [];
}

function readEntry(chart: string, item: Item): IndexEntry | undefined {
  const fields = Fields.read(item);
  if (fields === undefined) return undefined;
  const [url] = fields.items('urls');
  const address = url && dealias(url.node);
  const text = (key: string) => fields.text(key) || undefined;
  const [appVersion, description, digest] = [text('appVersion'), text('description'), text('digest')];
  return {
    name: text('name') ?? chart,
    version: fields.text('version') ?? '',
    url: address?.kind === 'scalar' ? address.text : '',
    ...(appVersion !== undefined && { appVersion }),
    ...(description !== undefined && { description }),
    ...(digest !== undefined && { digest }),
  };
}
