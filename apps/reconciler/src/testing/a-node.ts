import type { LiveNode } from '@hivekeep/planner';

/** A node that is well, but for what the test says. */
export function aNode(id: string, more: Partial<LiveNode> = {}): LiveNode {
  return {
    id,
    hostname: `host-${id}`,
    role: 'worker',
    availability: 'active',
    state: 'ready',
    address: '',
    labels: {},
    engineLabels: {},
    platform: { os: 'linux', architecture: 'x86_64' },
    engineVersion: '',
    ...more,
  };
}
