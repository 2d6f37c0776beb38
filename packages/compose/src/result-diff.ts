import { isDeepStrictEqual } from 'node:util';
import type { SentObjects } from './convert/externals.ts';
import { isDict } from './value.ts';

const KINDS = ['networks', 'secrets', 'configs', 'services'] as const;

/** Where two results differ, as paths such as `services[demo_web].EndpointSpec.Ports`; lists are compared whole. */
export function resultPaths(a: SentObjects, b: SentObjects): string[] {
  return KINDS.flatMap((kind) => {
    const left = new Map(a[kind].map((object) => [object.Name, object]));
    const right = new Map(b[kind].map((object) => [object.Name, object]));
    const names = [...new Set([...left.keys(), ...right.keys()])];
    return names.flatMap((name) => differences(left.get(name), right.get(name), `${kind}[${name}]`));
  });
}

function differences(a: unknown, b: unknown, at: string): string[] {
  if (isDeepStrictEqual(a, b)) return [];
  if (!isDict(a) || !isDict(b)) return [at];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.flatMap((key) => differences(a[key], b[key], at + (/^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)));
}
