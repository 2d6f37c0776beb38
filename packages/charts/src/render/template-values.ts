import { HivekeepError } from '@hivekeep/contracts';
import {
  bytesOf,
  Dict,
  fromPlain,
  Instant,
  isValidUtf8,
  List,
  type PlainValue,
  Sized,
  Struct,
  structOf,
  textOf,
  toBytes,
  type Value,
  VersionPointer,
} from '@hivekeep/gotemplate';
import { encode, GoBytes, type GoKey, GoMap, GoStruct, GoTime, type GoValue } from '@hivekeep/goyaml';

/** What YAML gave, as templates compute with it. */
export function toTemplateValue(value: GoValue): Value {
  return fromPlain(value as PlainValue); // the classes of YAML values have the members of plain ones
}

/** A value of a template as YAML writes it. Throws `yaml/invalid` for what YAML does not have. */
export function toYamlValue(value: Value): GoValue {
  if (typeof value === 'string') return isValidUtf8(value) ? textOf(value) : new GoBytes(toBytes(value));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof List) return value.items.map(toYamlValue);
  if (value instanceof Dict) return toYamlMap(value);
  if (value instanceof Struct) return new GoStruct([...value.fields].map(([name, field]) => [name.toLowerCase(), toYamlValue(field)]));
  if (value instanceof Instant) return new GoTime(value.nanoseconds, value.offset);
  if (value instanceof VersionPointer) return value.version.toString();
  if (value instanceof Sized) return value.typeName === 'time.Duration' ? (value.text ?? '') : value.value;
  throw new HivekeepError('yaml/invalid', `YAML has no ${value.typeName}`);
}

function toYamlMap(dict: Dict): GoMap {
  const map = new GoMap([], dict.anyKeys);
  for (const [key, item] of dict.entries()) map.set(toYamlValue(key) as GoKey, toYamlValue(item)); // keys are scalars
  return map;
}

/** `toYaml` as templates are given it: bytes in, bytes out. */
export function toTemplateYaml(value: Value): string {
  return bytesOf(encode(toYamlValue(value), { indent: 2 }));
}

/** The roots of a template. Only `Values` is a map: an unknown field of the others is an error. */
export function templateRoots(roots: {
  readonly values: Value;
  readonly release: { readonly Name: string; readonly Namespace: string; readonly Revision: bigint };
  readonly chart: { readonly Name: string; readonly Version: string; readonly AppVersion: string };
}): Struct {
  return structOf('main.rootT', {
    Values: roots.values,
    Release: structOf('main.relT', bytesIn(roots.release)),
    Chart: structOf('main.chT', bytesIn(roots.chart)),
  });
}

const bytesIn = (fields: Readonly<Record<string, string | bigint>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromPlain(value)]));
