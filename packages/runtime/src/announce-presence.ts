import { HUB, type Presence } from '@hivekeep/contracts';
import type { Announced } from './bus.ts';
import type { Logger } from './logger.ts';

export interface Announcement {
  readonly record: () => Presence;
  /** Writes the record under the key, or removes it. */
  readonly store: (key: string, record: Presence | undefined) => Promise<void>;
  readonly everyMs: number;
  /** Ends the renewals without taking the record back, as the end of a process does. */
  readonly closed: AbortSignal;
  readonly logger: Logger;
}

/** Writes a record now and renews it until it is withdrawn. A failed write is tried again at the next turn. */
export async function announcePresence({ record, store, everyMs, closed, logger }: Announcement): Promise<Announced> {
  let key: string | undefined;
  let writing: Promise<void> | undefined;
  const write = async () => {
    const now = record();
    key = presenceKey(now);
    await store(key, now);
  };
  const renew = () => {
    writing ??= write()
      .catch((error: unknown) => logger.warn('presence not renewed', { error }))
      .finally(() => {
        writing = undefined;
      });
    return writing;
  };
  const timer = setInterval(renew, everyMs);
  closed.addEventListener('abort', () => clearInterval(timer), { once: true });
  await renew();
  const withdraw = async () => {
    clearInterval(timer);
    await writing;
    if (key === undefined || closed.aborted) return;
    await store(key, undefined).catch((error: unknown) => logger.warn('presence not taken back', { error }));
  };
  const renewNow = async () => {
    await writing; // it may have read the record before it changed
    if (!closed.aborted) await renew();
  };
  return Object.assign(withdraw, { renew: renewNow });
}

/** `<swarm>.<service>.<instance>`; services of the hub stand under its own token. */
export function presenceKey({ swarm = HUB, service, instance }: Presence): string {
  return `${swarm}.${service}.${instance}`;
}
