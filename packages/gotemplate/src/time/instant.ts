import { type CivilTime, civilOf, SECOND } from './civil.ts';
import { utc, type Zone } from './zone.ts';

/** A `time.Time`: an instant, and the zone it is shown in. */
export class Instant {
  readonly kind = 'struct';
  readonly typeName = 'time.Time';
  /** Since 1970. */
  readonly nanoseconds: bigint;
  readonly zone: Zone;

  constructor(nanoseconds: bigint, zone: Zone = utc) {
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }

  /** Date and clock in its zone. */
  civil(): CivilTime {
    return civilOf(this.nanoseconds + BigInt(this.offset) * SECOND);
  }

  /** Seconds east of UTC. */
  get offset(): number {
    return this.zone.at(this.nanoseconds).offset;
  }

  in(zone: Zone): Instant {
    return new Instant(this.nanoseconds, zone);
  }
}

/** Go's zero time, 0001-01-01 00:00:00 UTC. */
export const zeroInstant = new Instant(-62_135_596_800n * SECOND);
