import { HivekeepError, type Issue } from '@hivekeep/contracts';
import type { Position } from './nodes.ts';

/** `yaml/invalid` with one issue at `position`; the message starts with `file:line:column`. */
export function yamlFailure(problem: string, position: Position, file?: string): HivekeepError {
  return yamlFailures([{ message: problem, line: position.line, column: position.column, ...(file !== undefined && { file }) }]);
}

/** `yaml/invalid` with all these issues; the message shows the first. */
export function yamlFailures(issues: readonly [Issue, ...Issue[]]): HivekeepError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const place = `${first.file ?? 'yaml'}:${first.line ?? 1}:${first.column ?? 1}`;
  return new HivekeepError('yaml/invalid', `${place}: ${first.message}${more}`, { issues });
}
