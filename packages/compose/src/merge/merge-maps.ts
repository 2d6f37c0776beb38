import type { Attachment, Service } from '../model.ts';
import { member, record } from '../value.ts';
import type { MergePoint } from './merge-point.ts';

type Logging = NonNullable<Service['logging']>;

/** Members of the second over those of the first, empty texts too. */
export function mergeMap<T>(base: Record<string, T>, override: Record<string, T>): Record<string, T> {
  return record([...Object.entries(base), ...Object.entries(override)]);
}

/** Variables of the second over those of the first; a bare name that has no value keeps what is there. */
export function mergeEnvironment(
  base: Record<string, string | null>,
  override: Record<string, string | null>,
  point: MergePoint,
): Record<string, string | null> {
  const merged = record(Object.entries(base));
  for (const [name, value] of Object.entries(override)) {
    const before = member(merged, name);
    const keep = before && (value === null || (value === '' && point.deviate('merge-zero', name)));
    if (!keep) merged[name] = value;
  }
  return merged;
}

/** Options are merged when both name one driver or one of them names none, else the second is taken whole. */
export function mergeLogging(base: Logging, override: Logging, point: MergePoint): Logging {
  if (base.driver && override.driver && base.driver !== override.driver) return override;
  const driver = base.driver || override.driver;
  const lost = base.options === undefined && override.options !== undefined && point.deviate('merge-logging', 'options');
  const given = !lost && (base.options ?? override.options);
  const options = given && mergeMap(base.options ?? {}, override.options ?? {});
  return { ...(driver && { driver }), ...(options && { options }) };
}

/** Attachments to the same network are merged; no attachment keeps what is there. */
export function mergeAttachments(
  base: Record<string, Attachment | null>,
  override: Record<string, Attachment | null>,
  point: MergePoint,
): Record<string, Attachment | null> {
  const merged = record(Object.entries(base));
  for (const [name, attachment] of Object.entries(override))
    merged[name] = mergeAttachment(member(merged, name) ?? null, attachment, point.in(name));
  return merged;
}

function mergeAttachment(base: Attachment | null, override: Attachment | null, point: MergePoint): Attachment | null {
  if (!base || !override) return override ?? base;
  const { aliases = [], driver_opts: options, ...rest } = base;
  const { driver_opts: ownOptions, ...taken } = override;
  const aliasesLost = aliases.some((alias) => !override.aliases?.includes(alias));
  if ((aliasesLost || ownOptions) && point.deviate('merge-attachment'))
    return { ...rest, ...(options && { driver_opts: options }), ...taken };
  const all = [...new Set([...aliases, ...(override.aliases ?? [])])];
  const merged = options || ownOptions ? mergeMap(options ?? {}, ownOptions ?? {}) : undefined;
  return { ...rest, ...taken, ...(all.length > 0 && { aliases: all }), ...(merged && { driver_opts: merged }) };
}
