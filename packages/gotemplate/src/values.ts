import { CallFailure } from './failure.ts';
import type { VersionPointer } from './semver/version.ts';
import type { Instant } from './time/instant.ts';

/** Go's `reflect.Kind`s that a template can meet. */
export type Kind =
  | 'invalid'
  | 'bool'
  | 'int'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint32'
  | 'uint64'
  | 'float64'
  | 'complex128'
  | 'string'
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr';

/**
 * What a template computes with. Go's types stay apart: `bigint` is an int, `number` a float64, `string` a byte string
 * (see text/bytes.ts), everything else an object of this package. null is a nil interface.
 */
export type Value = null | boolean | bigint | number | string | Complex | GoObject;
export type GoObject = Sized | List | Dict | Struct | Instant | VersionPointer;

export type SizedKind = 'int' | 'int32' | 'int64' | 'uint8' | 'uint32' | 'uint64';

/** An integer whose type is not plain `int`. */
export class Sized {
  readonly kind: SizedKind;
  readonly value: bigint;
  /** Of a named type such as `time.Month`; else the kind. */
  readonly typeName: string;
  /** What the type's `String` method gives, where it has one. */
  readonly text: string | undefined;

  constructor(kind: SizedKind, value: bigint, named?: { readonly typeName: string; readonly text: string }) {
    this.kind = kind;
    this.value = kind.startsWith('u') ? BigInt.asUintN(bitsOf(kind), value) : BigInt.asIntN(bitsOf(kind), value);
    this.typeName = named?.typeName ?? kind;
    this.text = named?.text;
  }
}

const bitsOf = (kind: SizedKind) => (kind === 'uint8' ? 8 : kind.endsWith('32') ? 32 : 64);

export const int64 = (value: bigint) => new Sized('int64', value);

/** A complex128: only number literals such as `2i` make one. */
export class Complex {
  readonly kind = 'complex128';
  readonly typeName = 'complex128';
  readonly re: number;
  readonly im: number;

  constructor(re: number, im: number) {
    this.re = re;
    this.im = im;
  }
}

export type ElementType = 'interface {}' | 'string' | 'int' | 'uint8' | '[]interface {}';

/** A slice. */
export class List {
  readonly kind = 'slice';
  readonly items: readonly Value[];
  readonly element: ElementType;
  /** Go's nil slice, which is empty and prints as such, but is `null` in JSON. */
  readonly isNil: boolean;

  constructor(items: readonly Value[], element: ElementType = 'interface {}', isNil = false) {
    this.items = items;
    this.element = element;
    this.isNil = isNil;
  }

  static nil(element: ElementType = 'interface {}'): List {
    return new List([], element, true);
  }

  get typeName(): string {
    return `[]${this.element}`;
  }
}

/** A map. Its keys are strings, or (`map[interface {}]interface {}`, which YAML makes) anything that can be compared. */
export class Dict {
  readonly kind = 'map';
  readonly anyKeys: boolean;
  readonly element: 'interface {}' | 'string';
  readonly isNil: boolean;
  readonly #values = new Map<string, Value>();
  readonly #keys: Map<string, Value> | undefined;

  constructor(options: { readonly anyKeys?: boolean; readonly element?: 'string'; readonly isNil?: boolean } = {}) {
    this.anyKeys = options.anyKeys ?? false;
    this.element = options.element ?? 'interface {}';
    this.isNil = options.isNil ?? false;
    this.#keys = this.anyKeys ? new Map() : undefined;
  }

  get typeName(): string {
    return `map[${this.anyKeys ? 'interface {}' : 'string'}]${this.element}`;
  }

  get size(): number {
    return this.#values.size;
  }

  /** undefined when there is no such key. */
  get(key: Value): Value | undefined {
    return this.#values.get(this.#keys ? identityOf(key) : (key as string)); // without #keys every key is a string
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  /** Throws `CallFailure` for a nil map, where Go panics. */
  set(key: Value, value: Value): this {
    if (this.isNil) throw new CallFailure('assignment to entry in nil map');
    const identity = this.#keys ? identityOf(key) : (key as string); // as in get
    this.#keys?.set(identity, key);
    this.#values.set(identity, value);
    return this;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  values(): IterableIterator<Value> {
    return this.#values.values();
  }

  /** In the order of insertion. */
  entries(): [Value, Value][] {
    if (!this.#keys) return [...this.#values];
    return [...this.#keys].map(([identity, key]) => [key, this.#values.get(identity) ?? null]);
  }
}

/** Equal for keys that are equal in Go: same type, same value. */
function identityOf(key: Value): string {
  if (typeof key === 'object' && key !== null && 'nanoseconds' in key) return `time:${key.nanoseconds}:${key.zone.name}`;
  if (key instanceof Sized) return `${key.typeName}:${key.value}`;
  return `${typeof key}:${String(key)}`;
}

/** A struct: its fields in order. An unknown field is an error, not a missing value. */
export class Struct {
  readonly kind = 'struct';
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    this.typeName = typeName;
    this.fields = fields;
  }
}

export function kindOf(value: Value | undefined): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float64';
    default:
      return value?.kind ?? 'invalid';
  }
}

/** The type as Go's `%T` writes it. */
export function typeNameOf(value: Value | undefined): string {
  switch (typeof value) {
    case 'string':
    case 'undefined':
      return value === undefined ? '<nil>' : 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float64';
    default:
      return value === null ? '<nil>' : value.typeName;
  }
}

/** The number of any integer type; undefined for everything else. */
export function integerOf(value: Value | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return value instanceof Sized ? value.value : undefined;
}

/** Go templates' truth: false, 0, "", nil and empty collections are false, a struct is true. */
export function isTrue(value: Value | undefined): boolean {
  switch (typeof value) {
    case 'string':
      return value.length > 0;
    case 'boolean':
      return value;
    case 'bigint':
      return value !== 0n;
    case 'number':
      return value !== 0;
  }
  if (value === null || value === undefined) return false;
  if (value instanceof List) return value.items.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Sized) return value.value !== 0n;
  if (value instanceof Complex) return value.re !== 0 || value.im !== 0;
  return true;
}

/** Sprig's `empty`: the same, as structs are never empty. */
export const isEmpty = (value: Value): boolean => !isTrue(value);
