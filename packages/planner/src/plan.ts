import type { ConfigSpec, NetworkCreate, SecretSpec, ServiceSpec } from '@hivekeep/compose';
import type { Issue } from '@hivekeep/contracts';

/** One write a plan wants, or says it does not need. `version` is the index the write assumes. */
export type Step =
  | {
      readonly kind: 'network';
      readonly action: 'create';
      readonly name: string;
      readonly spec: NetworkCreate;
      /** An external network that a chart has made: it belongs to no stack, and outlives the release. */
      readonly managed?: true;
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'secret';
      readonly action: 'create';
      readonly name: string;
      readonly spec: SecretSpec;
      readonly needsContent: boolean;
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'config';
      readonly action: 'create';
      readonly name: string;
      readonly spec: ConfigSpec;
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'secret' | 'config';
      readonly action: 'relabel';
      readonly name: string;
      readonly id: string;
      readonly version: number;
      readonly labels: Readonly<Record<string, string>>;
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'service';
      readonly action: 'create';
      readonly name: string;
      readonly wave: number;
      readonly spec: ServiceSpec;
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'service';
      readonly action: 'update';
      readonly name: string;
      readonly wave: number;
      readonly id: string;
      readonly version: number;
      readonly spec: ServiceSpec;
      /** The spec the plan was made from: a conflict is swarm's own when it is still this. */
      readonly liveSpec: ServiceSpec;
      /** Whether tasks restart: the task template changed. */
      readonly restarts: boolean;
      readonly reasons: readonly string[];
    };

/** What one release needs. Data: it can be printed, served, compared and executed. */
export interface ReleasePlan {
  readonly release: string;
  readonly wave: number;
  readonly action: 'install' | 'upgrade' | 'unchanged';
  /** Why it is not unchanged. */
  readonly reasons: readonly string[];
  readonly steps: readonly Step[];
  /** Guards that refuse it; nothing may be written while there is one. */
  readonly refusals: readonly Issue[];
  readonly warnings: readonly string[];
  /** Names of left-over intents this plan settles: they are deleted once it is carried out, or at once when it is unchanged. */
  readonly settles?: readonly string[];
}
