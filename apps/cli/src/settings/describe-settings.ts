import { z } from 'zod';

/** One setting as flags, variables and the reference show it. */
export interface SettingDescription {
  readonly key: string;
  /** `--a-b`; undefined for what only the environment may carry. */
  readonly flag: string | undefined;
  /** Name without its prefix: `A_B`. */
  readonly variable: string;
  readonly kind: 'flag' | 'value' | 'list';
  readonly metavar: string;
  readonly description: string;
  readonly fallback: string | undefined;
}

/** Reads flags, variables, kinds and defaults out of a schema, so that nothing is written down twice. */
export function describeSettings(schema: z.ZodObject): SettingDescription[] {
  return Object.entries(schema.shape).map(([key, member]) => {
    const json = z.toJSONSchema(member, { io: 'input', unrepresentable: 'any' });
    const kebab = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const kind = json.type === 'boolean' ? 'flag' : json.type === 'array' ? 'list' : 'value';
    return {
      key,
      flag: json.env === true ? undefined : `--${kebab}`,
      variable: kebab.toUpperCase().replaceAll('-', '_'),
      kind,
      metavar: typeof json.metavar === 'string' ? json.metavar : 'value',
      description: json.description ?? '',
      fallback: kind === 'value' && json.default !== undefined ? String(json.default) : undefined,
    };
  });
}
