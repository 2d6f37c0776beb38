import type { Issue } from '@hivekeep/contracts';
import { dealias, decodeNodes, entriesOf, type YamlNode } from '@hivekeep/goyaml';
import type { Fragment } from '../render/merge-fragments.ts';

/** What of a path a document has. */
interface Place {
  /** The last key on the way. */
  readonly key: string;
  readonly line: number;
  readonly depth: number;
}

/**
 * Says of each issue of a manifest which template wrote what it is about, and on which line: of the template itself where the key stands on
 * one line of it alone, else of what it renders. What no template wrote stays as it is. Pure.
 */
export function placeIssues(issues: readonly Issue[], fragments: readonly Fragment[], templates: ReadonlyMap<string, Uint8Array>): Issue[] {
  const documents = fragments.flatMap(({ name, output }) => {
    const root = decodeNodes(Buffer.from(output), { file: name });
    return root ? [{ name, root }] : [];
  });
  return issues.map((issue) => {
    const { file, path } = issue;
    if (file !== undefined || path === undefined) return issue;
    const places = documents.flatMap(({ name, root }) => {
      const place = placeOf(root, path);
      return place ? [{ name, ...place }] : [];
    });
    const depth = Math.max(...places.map((place) => place.depth));
    const found = places.findLast((place) => place.depth === depth); // a later template lies over an earlier one
    if (!found) return issue;
    const line = lineOf(found.key, templates.get(found.name));
    return { ...issue, ...(line ? { file: found.name, line } : { file: `${found.name} (rendered)`, line: found.line }) };
  });
}

/** As deep into the document as the path leads. */
function placeOf(root: YamlNode, path: string): Place | undefined {
  let found: Place | undefined;
  let node = dealias(root);
  for (let rest = path; rest !== ''; ) {
    const index = /^\[(\d+)\]\.?/.exec(rest);
    const item = index && node.kind === 'sequence' ? node.items[Number(index[1])] : undefined;
    const [longest] =
      node.kind === 'mapping'
        ? entriesOf(node)
            .filter(({ key }) => rest.startsWith(key) && ['', '.', '['].includes(rest.charAt(key.length)))
            .toSorted((a, b) => b.key.length - a.key.length)
        : [];
    const next = item ?? longest?.value;
    if (!next) break;
    found = {
      key: longest?.key ?? found?.key ?? '',
      line: (longest?.keyNode ?? next).line,
      depth: (found?.depth ?? 0) + 1,
    };
    rest = rest.slice(index && item ? index[0].length : (longest?.key.length ?? 0)).replace(/^\./, '');
    node = dealias(next);
  }
  return found;
}

/** The one line of a template that has the key. */
function lineOf(key: string, template: Uint8Array | undefined): number | undefined {
  const lines = Buffer.from(template ?? [])
    .toString('utf8')
    .split('\n');
  const [line, ...others] = lines.flatMap((text, index) => (hasKey(text, key) ? [index + 1] : []));
  return others.length === 0 ? line : undefined;
}

function hasKey(text: string, key: string): boolean {
  return [`${key}:`, `"${key}":`, `'${key}':`].some((written) => {
    const at = text.indexOf(written);
    return at >= 0 && !/[\w.-]/.test(text.charAt(at - 1));
  });
}
