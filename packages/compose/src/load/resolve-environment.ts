import type { Service } from '../model.ts';
import { record } from '../value.ts';
import type { EnvLine } from './env-file.ts';
import type { Environment } from './interpolate.ts';

/**
 * The environment of a service: its env files in order, then `environment` over them. An empty or missing value takes the
 * caller's variable of that name; a bare name of an env file that the caller does not have is dropped.
 */
export function resolveEnvironment(
  service: Service,
  envFiles: readonly (readonly EnvLine[])[],
  env: Environment,
): Record<string, string | null> {
  const out = record<string | null>();
  for (const [name, value] of envFiles.flat()) {
    const resolved = fromCaller(name, value, env);
    if (resolved !== null) out[name] = resolved;
  }
  for (const [name, value] of Object.entries(service.environment ?? {})) out[name] = fromCaller(name, value, env);
  return out;
}

function fromCaller(name: string, value: string | null, env: Environment): string | null {
  if (value !== null && value !== '') return value;
  return (Object.hasOwn(env, name) ? env[name] : undefined) ?? value;
}
