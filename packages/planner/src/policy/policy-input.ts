import type { StackObjects } from '@hivekeep/compose';
import type { Allow, Issue } from '@hivekeep/contracts';
import type { SnapshotIndex } from '../snapshot-index.ts';

/** The stack this controller itself runs in, read from its own service; empty when it is no service of a swarm. */
export interface OwnStack {
  /** The stack's name; absent when the controller runs in none. */
  readonly namespace?: string;
  /** Names of what the controller's own service has mounted, and of its files under `/run/secrets`. */
  readonly secrets: ReadonlySet<string>;
  readonly configs: ReadonlySet<string>;
  readonly volumes: ReadonlySet<string>;
}

export interface PolicyInput {
  /** The release's name, which is its stack. */
  readonly stack: string;
  readonly objects: StackObjects;
  readonly allow: Allow;
  readonly own: OwnStack;
  readonly index: SnapshotIndex;
}

export type GuardedKind = 'secret' | 'config' | 'volume' | 'network';

export const ALLOW_FIELD = {
  secret: 'allow.secrets',
  config: 'allow.configs',
  volume: 'allow.volumes',
  network: 'allow.networks',
} as const satisfies Record<GuardedKind, string>;

/** A refusal; `rule` names the guard. */
export function refusal(rule: string, path: string, message: string): Issue {
  return { rule: `policy/${rule}`, path, message };
}

/** `services.<name>`: how refusals name a service. */
export function servicePath(name: string): string {
  return `services.${name}`;
}
