/** What a value of a compose file may be. */
export type Rule = ScalarRule | ListRule | MapRule | ObjectRule | { readonly kind: 'either'; readonly options: readonly Field[] };

export type ScalarRule =
  | { readonly kind: 'any' | 'null' | 'boolean' }
  | { readonly kind: 'string'; readonly format?: Format; readonly oneOf?: readonly string[] }
  | { readonly kind: 'number'; readonly format?: Format }
  | { readonly kind: 'integer'; readonly min?: number };

export interface ListRule {
  readonly kind: 'list';
  readonly item: Rule;
  readonly unique: boolean;
}

export interface MapRule {
  readonly kind: 'map';
  readonly member: Rule;
  readonly key: RegExp;
  /** Whether members whose key does not match are let through, whatever they are. */
  readonly open?: boolean;
}

export interface ObjectRule {
  readonly kind: 'object';
  readonly fields: Readonly<Record<string, Field>>;
  readonly required: readonly string[];
  /** Keys the format once had, with what to use instead. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Keys that only today's compose specification has. */
  readonly specification?: readonly string[];
  /** Further keys that may stand here and never come this far; named where a key is unknown. */
  readonly alsoKnown?: readonly string[];
  /** From which 3.x version keys `x-…` are allowed. */
  readonly extensionsSince: number;
  /** From which 3.x version other keys are let through (the docker CLI ignores them); undefined: never, as in the specification. */
  readonly openSince?: number;
}

/** A key and from which 3.x version on it exists. */
export interface Field {
  readonly since: number;
  readonly rule: Rule;
}

/** A named check of a text: the problem, or undefined. */
export type Format = (text: string) => string | undefined;

export const any: Rule = { kind: 'any' };
export const nothing: Rule = { kind: 'null' };
export const boolean: Rule = { kind: 'boolean' };
export const string: Rule = { kind: 'string' };
export const number: Rule = { kind: 'number' };
export const integer: Rule = { kind: 'integer' };

/** The minor number that stands for today's compose specification, which has no versions. */
export const SPECIFICATION = 14;

/** A pattern for the keys of mappings that take any key, the empty one aside, which is let through unseen. */
export const KEY = /./su;

export function list(item: Rule, unique = true): Rule {
  return { kind: 'list', item, unique };
}

export function map(member: Rule, key = KEY, options: { open?: boolean } = {}): Rule {
  return { kind: 'map', member, key, ...options };
}

/** One of several; an option may exist from a version on. */
export function either(...options: (Rule | Field)[]): Rule {
  return { kind: 'either', options: options.map(asField) };
}

export function since(minor: number, rule: Rule): Field {
  return { since: minor, rule };
}

/** A mapping with these keys alone. */
export function object(
  fields: Readonly<Record<string, Rule | Field>>,
  options: {
    required?: readonly string[];
    extensionsSince?: number;
    openSince?: number;
    refused?: Readonly<Record<string, string>>;
    specification?: readonly string[];
    alsoKnown?: readonly string[];
  } = {},
): ObjectRule {
  const entries = Object.entries(fields).map(([key, field]) => [key, asField(field)] as const);
  return {
    kind: 'object',
    fields: Object.fromEntries(entries),
    required: options.required ?? [],
    extensionsSince: options.extensionsSince ?? SPECIFICATION,
    ...(options.refused && { refused: options.refused }),
    ...(options.specification && { specification: options.specification }),
    ...(options.alsoKnown && { alsoKnown: options.alsoKnown }),
    ...(options.openSince !== undefined && { openSince: options.openSince }),
  };
}

function asField(field: Rule | Field): Field {
  return 'since' in field ? field : since(0, field);
}
