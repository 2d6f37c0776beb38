import { GoBytes, GoMap, GoTime, type GoValue, keyText } from '@hivekeep/goyaml';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Values as JSON has them: every number a float, times and odd keys as text. Members are own ones, `__proto__` too. */
export function plainJson(value: GoValue): Json {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof GoTime) return value.toString();
  if (value instanceof GoBytes) return Buffer.from(value.bytes).toString('utf8');
  if (Array.isArray(value)) return value.map(plainJson);
  if (!(value instanceof GoMap)) return value;
  return Object.fromEntries([...value].map(([key, member]) => [keyText(key), plainJson(member)]));
}
