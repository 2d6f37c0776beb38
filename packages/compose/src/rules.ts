/** What a warning may be about, deviations aside; docs/reference/compose-rules.md says of each what it means. */
export const rules = [
  'decimal-mode',
  'depends-on-condition',
  'external-name',
  'healthcheck-word',
  'ignored-key',
  'image-tag',
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
  'version-obsolete',
] as const;

export type RuleId = (typeof rules)[number];
