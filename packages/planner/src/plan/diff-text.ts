import type { ReleasePlan, Step } from '../plan.ts';

/** Lines of one side that are compared at most: the table of the comparison grows with the product of both. */
const MAX_COMPARED = 4_000;

function lines(text: string): string[] {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all;
}

/** Lengths of the longest common subsequence of every pair of tails; one row more and one column more than there are lines. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const row = rows[i] as Uint16Array;
    const below = rows[i + 1] as Uint16Array;
    for (let j = after.length - 1; j >= 0; j -= 1) {
      row[j] = before[i] === after[j] ? (below[j + 1] as number) + 1 : Math.max(below[j] as number, row[j + 1] as number);
    }
  }
  return rows;
}

function changedMiddle(before: readonly string[], after: readonly string[]): string[] {
  if (before.length > MAX_COMPARED || after.length > MAX_COMPARED)
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  const rows = commonLengths(before, after);
  const out: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      out.push(` ${before[i]}`);
      i += 1;
      j += 1;
    } else if (i < before.length && (j >= after.length || (rows[i + 1]?.[j] ?? 0) >= (rows[i]?.[j + 1] ?? 0))) {
      out.push(`-${before[i]}`);
      i += 1;
    } else {
      out.push(`+${after[j]}`);
      j += 1;
    }
  }
  return out;
}

function lineDiff(beforeText: string, afterText: string): string[] {
  const before = lines(beforeText);
  const after = lines(afterText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...before.slice(0, start).map((line) => ` ${line}`),
    ...changedMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map((line) => ` ${line}`),
  ];
}

function stepLine(step: Step): string {
  const restarts = step.kind === 'service' && step.action === 'update' ? (step.restarts ? ', tasks restart' : ', no task restarts') : '';
  return `# ${step.action} ${step.kind} ${step.name}: ${step.reasons.join(', ')}${restarts}`;
}

/**
 * What a plan changes, for people: a line `# …` for each write with its reason, then the manifests line by line with `-`, `+` or a space
 * in front and no hunks (an install is compared with the empty text). Empty for an unchanged release. Manifests hold names of secrets,
 * never contents.
 */
export function diffText(plan: ReleasePlan, before: string, after: string): string {
  if (plan.action === 'unchanged') return '';
  return [...plan.steps.map(stepLine), ...lineDiff(before, after), ''].join('\n');
}
