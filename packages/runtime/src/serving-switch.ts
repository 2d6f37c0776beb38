/**
 * Whether a service answers calls now. A standby reconciler is off: it must not answer for the active one.
 * Turning it before the service listens is remembered.
 */
export class ServingSwitch {
  #on: boolean;
  #apply: (serving: boolean) => Promise<void> = async () => undefined;
  /** Turns one at a time, in the order they were asked for. */
  #turning: Promise<void> = Promise.resolve();

  constructor(on: boolean) {
    this.#on = on;
  }

  get isServing(): boolean {
    return this.#on;
  }

  /** Resolves when the transport has taken (or dropped) the subscriptions; calls already running go on. */
  turn(on: boolean): Promise<void> {
    this.#on = on;
    const turned = this.#turning.then(() => this.#apply(this.#on));
    this.#turning = turned.catch(() => undefined);
    return turned;
  }

  /** For the server: what a turn does. */
  attach(apply: (serving: boolean) => Promise<void>): Promise<void> {
    this.#apply = apply;
    return this.turn(this.#on);
  }
}
