import type { Warning } from '@hivekeep/contracts';

/** What a warning may be about, deviations aside; docs/reference/compose-rules.md says of each what it means. */
export const rules = [
  'content-size',
  'decimal-mode',
  'depends-on-condition',
  'external-name',
  'healthcheck-word',
  'ignored-key',
  'image-tag',
  'inactive-profile',
  'later-document',
  'merge-tag',
  'mount-type',
  'name-too-long',
  'network-driver',
  'no-home',
  'port-address',
  'port-range',
  'port-taken',
  'stack-name',
  'start-first-host-port',
  'subnet',
  'unset-variable',
  'value-refused',
  'version-obsolete',
] as const;

export type RuleId = (typeof rules)[number];

/** The warnings that `strict` refuses: all but those that tell of what the file asks for. */
export function findings(warnings: readonly Warning[]): readonly Warning[] {
  return warnings.filter(({ rule }) => rule !== 'inactive-profile');
}
