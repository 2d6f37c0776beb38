import { HivekeepError } from '@hivekeep/contracts';
import type { z } from 'zod';

/** How the text of a flag or variable becomes a value; the schema then checks that. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'duration' | 'list';

/** One member of a configuration schema, as users see it. */
export interface ConfigField {
  readonly key: string;
  readonly kind: FieldKind;
  /** `--a-b` */
  readonly flag: string;
  /** Never shown, and no argument: arguments of a process can be read by every user of the machine. */
  readonly secret: boolean;
  /** `HIVEKEEP_A_B`, then its alias of the swarmcli family. */
  readonly variables: readonly [string, string];
  readonly required: boolean;
  readonly default: unknown;
  readonly description: string;
}

/**
 * The members of a schema. A key ending in `Ms` is a duration: users leave the ending out and write `1m30s`. A key with a
 * sibling of the same name and `File` is a secret. A member's `meta({ flag })` names its flag where the rule does not.
 */
export function configFields(schema: z.ZodObject): ConfigField[] {
  return Object.entries(schema.shape).map(([key, member]) => {
    const { inner, required, fallback } = unwrapped(member as z.ZodType);
    const kind = kindOf(key, inner);
    const { flag, description = '' } = (member as z.ZodType).meta() ?? {};
    const name = typeof flag === 'string' ? flag : kebab(kind === 'duration' ? key.slice(0, -'Ms'.length) : key);
    const variable = name.toUpperCase().replaceAll('-', '_');
    return {
      key,
      kind,
      flag: `--${name}`,
      secret: `${key}File` in schema.shape,
      variables: [`HIVEKEEP_${variable}`, `SWARMCLI_CD_${variable}`],
      required,
      default: fallback,
      description,
    };
  });
}

interface Unwrapped {
  readonly inner: z.core.$ZodType;
  readonly required: boolean;
  readonly fallback: unknown;
}

/** Takes off what makes a member optional or gives it a default. */
function unwrapped(member: z.core.$ZodType): Unwrapped {
  const definition = (member as z.core.$ZodTypes)._zod.def; // the union of zod's own types
  switch (definition.type) {
    case 'optional':
    case 'nullable':
      return { ...unwrapped(definition.innerType), required: false };
    case 'default':
    case 'prefault':
      return { ...unwrapped(definition.innerType), required: false, fallback: definition.defaultValue };
    case 'readonly':
      return unwrapped(definition.innerType);
    case 'pipe':
      return unwrapped(definition.in);
    default:
      return { inner: member, required: true, fallback: undefined };
  }
}

function kindOf(key: string, { _zod }: z.core.$ZodType): FieldKind {
  switch (_zod.def.type) {
    case 'number':
      return key.endsWith('Ms') ? 'duration' : 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return 'list';
    case 'string':
    case 'enum':
    case 'literal':
    case 'union':
      return 'text';
    default:
      throw new HivekeepError('internal', `${key}: expected a text, number, boolean or list, found a schema of type ${_zod.def.type}`);
  }
}

function kebab(key: string): string {
  return key.replace(/[A-Z]+/g, (capitals) => `-${capitals.toLowerCase()}`);
}
