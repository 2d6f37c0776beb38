import { HivekeepError } from '@hivekeep/contracts';
import { within } from './waiting.ts';

/** Throws (or rejects) with the reason when the part is not well. */
export type Check = () => void | Promise<void>;

export interface HealthReport {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly message?: string }[];
}

const CHECK_MS = 2_000;

/** What a service says of itself: live (else restart it) and ready (else send it nothing). */
export class Health {
  readonly #checks = { live: new Map<string, Check>(), ready: new Map<string, Check>() };

  /** Adds a check under a name of its own. Returns what takes it out again. */
  add(kind: 'live' | 'ready', name: string, check: Check): () => void {
    const checks = this.#checks[kind];
    checks.set(name, check);
    return () => {
      if (checks.get(name) === check) checks.delete(name);
    };
  }

  /** Runs all checks of a kind at once, each at most two seconds. */
  async report(kind: 'live' | 'ready'): Promise<HealthReport> {
    const late = () => new HivekeepError('bus/timeout', `no result in ${CHECK_MS} ms`);
    const checks = await Promise.all(
      [...this.#checks[kind]].map(async ([name, check]) => {
        try {
          await within(Promise.resolve().then(check), { ms: CHECK_MS, late });
          return { name, ok: true };
        } catch (error) {
          return { name, ok: false, message: error instanceof Error ? error.message : 'failed' };
        }
      }),
    );
    return { ok: checks.every(({ ok }) => ok), checks };
  }
}
