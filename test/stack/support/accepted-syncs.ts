import { again } from './again.ts';
import type { EventFollower } from './event-follower.ts';
import type { Installation } from './installation.ts';
import { loadNames } from './load.ts';

const EVERY_MS = 2_000;

/** Asks for a sync of one application after the other, and remembers which were accepted, and when they were asked for. */
export class AcceptedSyncs {
  readonly accepted = new Map<string, number>();
  readonly stop: () => Promise<void>;

  constructor(hive: Installation) {
    this.stop = again(EVERY_MS, async (turn) => {
      const application = loadNames[turn % loadNames.length] ?? '';
      const at = performance.now();
      const asked = await hive.post(`/applications/${application}/sync`).catch(() => undefined); // nobody could: nothing is promised
      if (asked) this.accepted.set(application, at);
    }).stop;
  }

  /** Applications of which no outcome was told after the last sync that was accepted; a reset may have swallowed it. */
  lost({ heard }: EventFollower): string[] {
    const outcome = (application: string, at: number) =>
      heard.some(
        (one) =>
          one.at > at &&
          (one.event === undefined ||
            (one.event.application === application && one.event.actor === 'admin' && /^sync-(succeeded|failed)$/.test(one.event.type))),
      );
    return [...this.accepted].flatMap(([application, at]) => (outcome(application, at) ? [] : [application]));
  }
}
