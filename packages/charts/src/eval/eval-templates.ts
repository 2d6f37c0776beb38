import { parseJson } from '@hivekeep/contracts';
import { fromBytes, isValidUtf8, TemplateSet } from '@hivekeep/gotemplate';
import { decodeValues, GoMap } from '@hivekeep/goyaml';
import type { RenderEnvironment } from '../render/render-environment.ts';
import { templateRoots, toTemplateValue, toTemplateYaml } from '../render/template-values.ts';

interface TemplateCase {
  readonly id: string;
  readonly template: string;
  readonly name?: string;
  /** Further files, name to source. */
  readonly templates?: Readonly<Record<string, string>>;
  readonly values?: unknown;
  /** The same as text, in which ints and floats differ. */
  readonly valuesYaml?: string;
  readonly release?: { readonly Name?: string; readonly Namespace?: string; readonly Revision?: number };
  readonly chart?: { readonly Name?: string; readonly Version?: string; readonly AppVersion?: string };
}

/** Answers one render request (a line of JSON) with a line: `{id, ok, output, outputHex?, error}`. */
export function evalTemplates(line: string, environment: RenderEnvironment): string {
  const request = JSON.parse(line) as TemplateCase;
  try {
    const output = render(request, rawValues(line), environment);
    const bytes = fromBytes(output);
    const text = Buffer.from(output).toString('utf8');
    const hex = isValidUtf8(bytes) ? {} : { outputHex: Buffer.from(output).toString('hex') };
    return JSON.stringify({ id: request.id, ok: true, output: text, ...hex, error: '' });
  } catch (error) {
    return JSON.stringify({ id: request.id, ok: false, error: error instanceof Error ? error.message : String(error) });
  }
}

function render(request: TemplateCase, values: string, environment: RenderEnvironment): Uint8Array {
  const name = request.name ?? 'templates/stack.yaml';
  const files = new Map([[name, request.template], ...Object.entries(request.templates ?? {})]);
  const set = new TemplateSet(files);
  const { release, chart } = request;
  const roots = templateRoots({
    values: toTemplateValue(decodeValues(request.valuesYaml ?? values) ?? new GoMap()),
    release: release
      ? { Name: release.Name ?? '', Namespace: release.Namespace ?? '', Revision: BigInt(release.Revision ?? 0) }
      : { Name: 'ci', Namespace: 'ci', Revision: 1n },
    chart: chart
      ? { Name: chart.Name ?? '', Version: chart.Version ?? '', AppVersion: chart.AppVersion ?? '' }
      : { Name: 'demo', Version: '0.1.0', AppVersion: '1.0' },
  });
  return set.render(name, roots, { environment: { ...environment, toYaml: toTemplateYaml } });
}

/** Writes a number as it was read; ES2026, which the library's types do not have yet. */
const { rawJSON: rawJson } = JSON as JSON & { rawJSON: (text: string) => unknown };

/** The `values` of a request as text, numbers as they were written: JSON is YAML, and there 1 is an int and 1.0 a float. */
function rawValues(line: string): string {
  const request = parseJson(line, (_value, source) => rawJson(source));
  return JSON.stringify((request as { values?: unknown }).values ?? {});
}
