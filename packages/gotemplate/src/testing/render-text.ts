import type { Environment } from '../environment.ts';
import type { RenderLimits } from '../exec/meter.ts';
import { fromPlain, type PlainValue, structOf } from '../from-plain.ts';
import { TemplateSet } from '../template-set.ts';
import { utc } from '../time/zone.ts';

/** Nothing here changes from one render to the next. */
export const fixedEnvironment: Environment = {
  now: () => 1_700_000_000_000_000_000n,
  localZone: utc,
  randomBytes: (count) => Uint8Array.from({ length: count }, (_, index) => index * 37),
  crypto: {},
  toYaml: () => '',
};

/** One template over some values, as text. */
export function renderText(
  template: string,
  values: Record<string, PlainValue> = {},
  options: { limits?: Partial<RenderLimits>; environment?: Partial<Environment> } = {},
): string {
  const set = new TemplateSet(new Map([['t.yaml', template]]));
  const root = structOf('test.Root', { Values: fromPlain(new Map(Object.entries(values))) });
  const environment = { ...fixedEnvironment, ...options.environment };
  return Buffer.from(set.render('t.yaml', root, { environment, ...(options.limits && { limits: options.limits }) })).toString('utf8');
}
