import { HivekeepError } from '@hivekeep/contracts';
import type { z } from 'zod';

/** The body by its schema; no body reads as an empty object. Throws `usage/invalid` naming every member that is wrong. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  const text = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  throw new HivekeepError('usage/invalid', `the body is not what this endpoint takes: ${text}`, { issues });
}
