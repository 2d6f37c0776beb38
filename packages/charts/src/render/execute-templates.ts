import { HivekeepError } from '@hivekeep/contracts';
import { Meter, TemplateError, TemplateSet, type Value } from '@hivekeep/gotemplate';
import type { ReleaseContext } from './release-context.ts';
import type { RenderEnvironment } from './render-environment.ts';
import { templateRoots, toTemplateValue, toTemplateYaml } from './template-values.ts';

export interface Execution {
  /** Sources by name; each sees what all of them define. */
  readonly templates: ReadonlyMap<string, Uint8Array>;
  /** Which are executed, in this order: what one does to the values, the next ones see. */
  readonly names: readonly string[];
  /** As `contextRoot` gives it. */
  readonly root: Value;
  readonly environment: RenderEnvironment;
}

/** Of all templates of a chart together: a manifest is far smaller. */
const LIMITS = { outputBytes: 4 * 1024 * 1024 };

/** The output of each template. Throws `chart/invalid` with file, line and column, also when the work is too much. */
export function executeTemplates({ templates, names, root, environment }: Execution): string[] {
  try {
    const set = parsed(templates);
    const options = { environment: { ...environment, toYaml: toTemplateYaml }, meter: new Meter(LIMITS) };
    return names.map((name) => Buffer.from(set.render(name, root, options)).toString('utf8'));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { place, reason } = error;
    const issue = { ...(place && { file: place.template, line: place.line, column: place.column }), rule: error.code, message: reason };
    throw new HivekeepError('chart/invalid', error.message, { cause: error, issues: [issue] });
  }
}

const sets = new WeakMap<ReadonlyMap<string, Uint8Array>, TemplateSet>();

/** A chart's templates are parsed once, however often it is rendered: nothing of a render stays in them. */
function parsed(templates: ReadonlyMap<string, Uint8Array>): TemplateSet {
  const known = sets.get(templates);
  if (known) return known;
  const set = new TemplateSet(new Map([...templates].map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')])));
  sets.set(templates, set);
  return set;
}

/** The dot of every template of one render. `Namespace` is the name again, `Revision` always 1, so that equal inputs render equally. */
export function contextRoot({ values, release, chart }: ReleaseContext): Value {
  const { name, version, appVersion = '' } = chart;
  return templateRoots({
    values: toTemplateValue(values),
    release: { Name: release, Namespace: release, Revision: 1n },
    chart: { Name: name, Version: version, AppVersion: appVersion },
  });
}
