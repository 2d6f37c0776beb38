import type { Attachment, Service } from '../model.ts';
import { record } from '../value.ts';

/** Members of the second over those of the first, empty texts too. */
export function mergeMap<T>(base: Record<string, T>, override: Record<string, T>): Record<string, T> {
  return record([...Object.entries(base), ...Object.entries(override)]);
}

/** Variables of the second over those of the first; an empty or missing value keeps what is there. */
export function mergeEnvironment(
  base: Record<string, string | null>,
  override: Record<string, string | null>,
): Record<string, string | null> {
  const kept = Object.entries(override).filter(([name, value]) => !value && Object.hasOwn(base, name) && base[name]);
  return record([...Object.entries(base), ...Object.entries(override), ...kept.map(([name]) => [name, base[name] ?? null] as const)]);
}

/** Options are merged when both name one driver or one of them names none, else the second is taken whole. */
export function mergeLogging(
  base: NonNullable<Service['logging']>,
  override: NonNullable<Service['logging']>,
): NonNullable<Service['logging']> {
  if (base.driver && override.driver && base.driver !== override.driver) return override;
  const driver = base.driver ?? override.driver;
  // Without options in the first the docker CLI merges into nothing.
  const options = base.options && mergeMap(base.options, override.options ?? {});
  return { ...(driver !== undefined && { driver }), ...(options && { options }) };
}

/** The second's aliases and addresses over the first's; no attachment keeps what is there, driver options are never taken. */
export function mergeAttachments(
  base: Record<string, Attachment | null>,
  override: Record<string, Attachment | null>,
): Record<string, Attachment | null> {
  return record([
    ...Object.entries(base),
    ...Object.entries(override).map(([name, attachment]) => [name, mergeAttachment(base[name] ?? null, attachment)] as const),
  ]);
}

function mergeAttachment(base: Attachment | null, override: Attachment | null): Attachment | null {
  if (!base || !override) return override ?? base;
  const { aliases: _aliases, ...rest } = base;
  const { driver_opts: _options, ...taken } = override;
  return { ...rest, ...taken };
}
