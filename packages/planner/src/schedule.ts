import { createHash } from 'node:crypto';

const MAX_DOUBLINGS = 8;
const BACKOFF_CAP_MS = 30 * 60_000;
/** However long it goes on: what was lost for want of an answer must not wait when there is one again. */
const OUTAGE_RETRY_MS = 15_000;
const JITTER = 0.1;

/** An even fraction of [0, 1) that depends on the text alone. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

export interface ScheduleInput {
  /** Milliseconds between two ticks when all is well; more than 0. */
  readonly interval: number;
  /** Failures in a row. */
  readonly failures: number;
  /** The last try failed because something did not answer. */
  readonly outage: boolean;
  /** Names what is looked at together, a repository: applications with one key and interval tick at the same moments. */
  readonly key: string;
  /** When the tick began that ends now. */
  readonly began: number;
  readonly now: number;
}

/**
 * The first moment of the key's own grid that is to come, and half an interval from the moment that the tick began at: one that takes
 * long misses none. Each moment is moved by up to 5 % of an interval.
 */
function gridDelay({ interval, key, began, now }: ScheduleInput): number {
  const offset = fraction(`${key} ${interval}`) * interval;
  const moment = (index: number): number => offset + index * interval + (fraction(`${key} ${interval} ${index}`) - 0.5) * JITTER * interval;
  let index = Math.floor((now - offset) / interval);
  while (moment(index) < now || moment(index) - began < interval / 2) index += 1;
  return Math.round(moment(index) - now);
}

/**
 * Milliseconds until the next tick. Without failures: the next moment of a grid that keys share, so that a repository is asked once for
 * all its applications, and that differs between keys, so that not all are asked at once. After failures: the interval doubled for each
 * in a row, at most 30 minutes but never less than the interval, give or take 10 %. After an outage: 15 s, or the interval where that is
 * less, give or take 10 %. Equal inputs give equal delays.
 */
export function nextDelay(input: ScheduleInput): number {
  const { interval, failures, outage, key } = input;
  if (failures <= 0 && !outage) return gridDelay(input);
  const base = outage
    ? Math.min(interval, OUTAGE_RETRY_MS)
    : Math.min(interval * 2 ** Math.min(failures, MAX_DOUBLINGS), Math.max(BACKOFF_CAP_MS, interval));
  return Math.round(base * (1 + (fraction(`${key} ${interval} failure ${failures}`) * 2 - 1) * JITTER));
}
