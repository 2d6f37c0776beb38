import { decodeValues, encode, GoMap } from '@hivekeep/goyaml';
import { chartError, issuesOf } from '../problems.ts';
import { mergeValues } from '../values/merge-values.ts';

/** What one template gave. */
export interface Fragment {
  /** `templates/stack.yaml`. */
  readonly name: string;
  readonly output: string;
}

/**
 * Lays the outputs on each other in their order, a later one over an earlier; helpers (`_…`) and blank ones add nothing. Throws
 * `chart/invalid` with every output that is no mapping, and when nothing is left.
 */
export function mergeFragments(fragments: readonly Fragment[]): GoMap {
  const parsed = fragments.filter(contributes).map(({ name, output }) => {
    try {
      return { document: decodeValues(output, { file: name }), issues: [] };
    } catch (error) {
      return { document: new GoMap(), issues: issuesOf(error, name) };
    }
  });
  const issues = parsed.flatMap((each) => each.issues);
  if (issues.length > 0) throw chartError(issues);
  const document = parsed.reduce((merged, each) => mergeValues(merged, each.document), new GoMap());
  document.delete('version');
  if (document.size === 0) throw chartError([{ file: 'templates', message: 'the manifest is empty: no template gave anything' }]);
  checkServices(document);
  return document;
}

/** The manifest as the family's engine writes it: this very text is recorded, compared and deployed. */
export function writeChartManifest(document: GoMap): string {
  return encode(document, { indent: 2 });
}

function contributes({ name, output }: Fragment): boolean {
  return !name.slice(name.lastIndexOf('/') + 1).startsWith('_') && output.trim() !== '';
}

function checkServices(document: GoMap): void {
  const services = document.get('services');
  const none = services === undefined || services === null || (services instanceof GoMap && services.size === 0);
  if (none) throw chartError([{ file: 'templates', path: 'services', message: 'the manifest has no services' }]);
}
