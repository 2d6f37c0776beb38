/** One tenure as the holder: which lease, in which epoch, and until when its word counts. */
export class LeaseTerm {
  readonly leaseId: string;
  readonly epoch: number;
  readonly #now: () => number;
  readonly #expired: () => void;
  #validUntil = 0;
  #expiry: NodeJS.Timeout | undefined;

  /** `expired` is called when its time has passed without an extension. */
  constructor(lease: { readonly id: string; readonly epoch: number }, now: () => number, expired: () => void) {
    this.leaseId = lease.id;
    this.epoch = lease.epoch;
    this.#now = now;
    this.#expired = expired;
  }

  /** Monotonic milliseconds after which nothing may be written. */
  get validUntil(): number {
    return this.#validUntil;
  }

  get over(): boolean {
    return this.#now() >= this.#validUntil;
  }

  extend(validUntil: number): void {
    this.#validUntil = validUntil;
    this.#watch();
  }

  /** A timer may fire a moment before its time by the clock: then it is not over yet, and watched on. */
  #watch(): void {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => (this.over ? this.#expired() : this.#watch()), Math.max(1, this.#validUntil - this.#now()));
    this.#expiry.unref();
  }

  end(): void {
    clearTimeout(this.#expiry);
  }
}
