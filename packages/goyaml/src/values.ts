/** A time as yaml.v3 reads it: nanoseconds since 1970 and the offset it was written with. */
export class GoTime {
  readonly nanoseconds: bigint;
  /** Seconds east of UTC. */
  readonly offset: number;

  constructor(nanoseconds: bigint, offset: number) {
    this.nanoseconds = nanoseconds;
    this.offset = offset;
  }

  /** RFC 3339 with as many fraction digits as needed (Go's `time.RFC3339Nano`). */
  toString(): string {
    const billion = 1_000_000_000n;
    const local = this.nanoseconds + BigInt(this.offset) * billion;
    const fraction = ((local % billion) + billion) % billion;
    const date = new Date(Number((local - fraction) / 1_000_000n));
    const digits = fraction === 0n ? '' : `.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}`;
    return `${date.toISOString().slice(0, 19)}${digits}${formatOffset(this.offset)}`;
  }
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offset) / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** A Go string that is not valid UTF-8 (only `!!binary` gives one). */
export class GoBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export type GoKey = null | boolean | bigint | number | string | GoBytes | GoTime;

/**
 * A mapping in the order of the document. `anyKeys` tells Go's `map[any]any` from `map[string]any`:
 * yaml.v3 makes the former as soon as one key is not tagged as a string. A key of minus zero is zero, unlike in Go.
 */
export class GoMap extends Map<GoKey, GoValue> {
  readonly anyKeys: boolean;

  constructor(entries: Iterable<readonly [GoKey, GoValue]> = [], anyKeys = false) {
    super(entries);
    this.anyKeys = anyKeys;
  }
}

/** A mapping that is written in its own order, as Go writes a struct; others are written in the order of their keys. */
export class GoStruct extends GoMap {}

/** What a document holds: `bigint` is an int (a uint64 beyond 2^63 - 1), `number` a float. */
export type GoValue = GoKey | GoValue[] | GoMap;

export type PlainValue = null | boolean | bigint | number | string | PlainValue[] | { [key: string]: PlainValue };

/**
 * Plain JavaScript: ints as numbers (bigint beyond 2^53), times and other keys as text, objects without prototype,
 * so that a key such as `__proto__` is a key like any other.
 */
export function toPlain(value: GoValue): PlainValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof GoTime) return value.toString();
  if (value instanceof GoBytes) return Buffer.from(value.bytes).toString('utf8');
  if (Array.isArray(value)) return value.map(toPlain);
  if (!(value instanceof GoMap)) return value;
  const object: { [key: string]: PlainValue } = Object.create(null);
  for (const [key, member] of value) object[keyText(key)] = toPlain(member);
  return object;
}

/** A key as text: `null`, `true`, `1`, the string itself. */
export function keyText(key: GoKey): string {
  return key instanceof GoBytes ? Buffer.from(key.bytes).toString('utf8') : String(key);
}

/** Plain JavaScript as Go values: whole numbers (up to 2^53) become ints, undefined members are left out. */
export function fromPlain(value: unknown): GoValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'string') return value;
  if (value instanceof GoTime || value instanceof GoBytes || value instanceof GoMap) return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (value instanceof Uint8Array) return new GoBytes(value);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const map = new GoMap();
  for (const [key, member] of entries) if (member !== undefined) map.set(String(key), fromPlain(member));
  return map;
}
