import { type CallContext, contextual, type FunctionTable, fn } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { floorDiv, SECOND } from '../time/civil.ts';
import { formatDuration, parseDuration } from '../time/duration.ts';
import { formatTime } from '../time/format.ts';
import { Instant, zeroInstant } from '../time/instant.ts';
import { parseTime } from '../time/parse.ts';
import { ianaZone, utc, type Zone } from '../time/zone.ts';
import { Sized, type Value } from '../values.ts';
import { parseClamped } from './casts.ts';

/** A time, or Unix seconds in an int or int64; now for everything else. */
function timeOf(value: Value, { environment }: CallContext): Instant {
  if (value instanceof Instant) return value;
  if (typeof value === 'bigint') return new Instant(value * SECOND, environment.localZone);
  if (value instanceof Sized && value.text === undefined && (value.kind === 'int64' || value.kind === 'int32')) {
    return new Instant(value.value * SECOND, environment.localZone);
  }
  return new Instant(environment.now(), environment.localZone);
}

const zoneOf = (name: string, { environment }: CallContext): Zone => (name === 'Local' ? environment.localZone : (ianaZone(name) ?? utc));

/** Looking up an offset takes the JavaScript engine long. */
const ZONE_STEPS = 40;

function formatIn(layout: string, value: Value, zone: string, context: CallContext): string {
  context.meter.charge(layout.length + (zone === 'Local' || zone === 'UTC' ? 1 : ZONE_STEPS));
  return formatTime(timeOf(value, context).in(zoneOf(zone, context)), layout);
}

/** A duration fits 64 bits. */
const wrapped = (nanoseconds: bigint) => BigInt.asIntN(64, nanoseconds);

/** Since a time, to the second, half away from zero. */
function ago(value: Value, context: CallContext): string {
  const elapsed = context.environment.now() - timeOf(value, context).nanoseconds;
  const rounded = floorDiv((elapsed < 0n ? -elapsed : elapsed) + SECOND / 2n, SECOND) * SECOND;
  return formatDuration(elapsed < 0n ? -rounded : rounded);
}

function duration(value: Value): string {
  const seconds = typeof value === 'string' ? parseClamped(value) : value instanceof Sized && value.typeName === 'int64' ? value.value : 0n;
  return formatDuration(wrapped(seconds * SECOND));
}

const roundUnits: readonly (readonly [string, bigint])[] = [
  ['y', 365n * 86_400n * SECOND],
  ['mo', 30n * 86_400n * SECOND],
  ['d', 86_400n * SECOND],
  ['h', 3600n * SECOND],
  ['m', 60n * SECOND],
  ['s', SECOND],
];

function durationRound(value: Value, { environment }: CallContext): string {
  let nanoseconds = 0n;
  if (typeof value === 'string') nanoseconds = parseDuration(value) ?? 0n;
  else if (value instanceof Instant) nanoseconds = wrapped(environment.now() - value.nanoseconds);
  else if (value instanceof Sized && value.typeName === 'int64') nanoseconds = value.value;
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const unit = roundUnits.find(([, length]) => size > length);
  return unit === undefined ? '0s' : `${size / unit[1]}${unit[0]}`;
}

const moved = (text: string, time: Instant): Instant | undefined => {
  const by = parseDuration(text);
  return by === undefined ? undefined : new Instant(time.nanoseconds + by, time.zone);
};

const dateModify = fn(['string', 'time'], (text, time) => moved(text, time) ?? time);
const mustDateModify = fn(['string', 'time'], (text, time) => {
  const result = moved(text, time);
  if (result === undefined) throw new CallFailure(`time: invalid duration ${JSON.stringify(text)}`);
  return result;
});
const dateInZone = contextual(['string', 'any', 'string'], (context, layout, value, zone) => formatIn(layout, value, zone, context));
const htmlLayout = '2006-01-02';

export const dateFunctions: FunctionTable = {
  now: contextual([], ({ environment }) => new Instant(environment.now(), environment.localZone)),
  ago: contextual(['any'], (context, value) => ago(value, context)),
  date: contextual(['string', 'any'], (context, layout, value) => formatIn(layout, value, 'Local', context)),
  dateInZone,
  date_in_zone: dateInZone,
  htmlDate: contextual(['any'], (context, value) => formatIn(htmlLayout, value, 'Local', context)),
  htmlDateInZone: contextual(['any', 'string'], (context, value, zone) => formatIn(htmlLayout, value, zone, context)),
  dateModify,
  date_modify: dateModify,
  mustDateModify,
  must_date_modify: mustDateModify,
  toDate: contextual(['string', 'string'], ({ environment }, layout, text) => {
    const time = parseTime(layout, text, environment.localZone);
    return typeof time === 'string' ? zeroInstant : time;
  }),
  mustToDate: contextual(['string', 'string'], ({ environment }, layout, text) => {
    const time = parseTime(layout, text, environment.localZone);
    if (typeof time === 'string') throw new CallFailure(time);
    return time;
  }),
  unixEpoch: fn(['time'], (time) => String(floorDiv(time.nanoseconds, SECOND))),
  duration: fn(['any'], duration),
  durationRound: contextual(['any'], (context, value) => durationRound(value, context)),
};
