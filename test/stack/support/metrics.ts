import type { LabNode } from '@hivekeep/testkit';
import type { Installation } from './installation.ts';
import { containersOf } from './observe.ts';

export const OWN_SERVICES: readonly string[] = ['gateway', 'node-agent', 'reconciler', 'source'];

/** What the tasks of one of our services answer at `/metrics`, on these nodes or on all. */
export async function metricsOf({ docker, lab }: Installation, service: string, nodes: readonly LabNode[] = lab.nodes): Promise<string[]> {
  const texts: string[] = [];
  for (const node of nodes)
    for (const container of await containersOf(node, service))
      texts.push(await docker(node, 'exec', container, 'wget', '-q', '-O-', 'http://127.0.0.1:9464/metrics'));
  return texts;
}

/** The sum of a metric over its labels; 0 when there is none. */
export function metric(text: string, name: string): number {
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  return values.reduce((sum, value) => sum + value, 0);
}
