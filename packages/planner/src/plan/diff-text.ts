import { lineDiff } from '@hivekeep/charts';
import type { ReleasePlan, Step } from '../plan.ts';

function stepLine(step: Step): string {
  const restarts = step.kind === 'service' && step.action === 'update' ? (step.restarts ? ', tasks restart' : ', no task restarts') : '';
  return `# ${step.action} ${step.kind} ${step.name}: ${step.reasons.join(', ')}${restarts}`;
}

/**
 * What a plan changes, for people: a line `# …` for each write with its reason, then the manifests line by line, each with `- `, `+ ` or two
 * spaces in front and no hunks (an install is compared with the empty text). Empty for an unchanged release. Manifests hold names of secrets,
 * never contents.
 */
export function diffText(plan: ReleasePlan, before: string, after: string): string {
  if (plan.action === 'unchanged') return '';
  return [...plan.steps.map(stepLine), ...lineDiff(before, after), ''].join('\n');
}
