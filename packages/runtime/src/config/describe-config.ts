import { formatDuration } from '@hivekeep/contracts';
import type { z } from 'zod';
import { configFields } from './config-fields.ts';

/** One line of the configuration reference. */
export interface ConfigRow {
  /** Empty for secrets: they are given by file or environment. */
  readonly flag: string;
  readonly variable: string;
  readonly alias: string;
  readonly type: string;
  /** As it would be written; empty when there is none. */
  readonly default: string;
  readonly required: boolean;
  readonly description: string;
}

/** The reference of a configuration, in the order of its schema. */
export function describeConfig(schema: z.ZodObject): ConfigRow[] {
  return configFields(schema).map(({ flag, secret, variables, kind, required, description, default: fallback }) => ({
    flag: secret ? '' : flag,
    variable: variables[0],
    alias: variables[1],
    type: kind,
    default: kind === 'duration' && typeof fallback === 'number' ? formatDuration(fallback) : asText(fallback),
    required,
    description,
  }));
}

function asText(value: unknown): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}
