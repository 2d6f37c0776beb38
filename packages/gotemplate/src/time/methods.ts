import { contextual, type FunctionTable, fn } from '../exec/function.ts';
import { durationValue } from '../exec/named-methods.ts';
import { CallFailure } from '../failure.ts';
import { int64, Sized } from '../values.ts';
import { daysFromCivil, floorDiv, monthNames, SECOND, weekdayNames, weekdayOf, yearDayOf } from './civil.ts';
import { formatTime } from './format.ts';
import { Instant, zeroInstant } from './instant.ts';
import { utc } from './zone.ts';

/** The methods of `time.Time` whose arguments a template can give. */
export function timeMethods(time: Instant): FunctionTable {
  const civil = time.civil();
  const named = (kind: 'Month' | 'Weekday', value: number, text = '') =>
    new Sized('int', BigInt(value), { typeName: `time.${kind}`, text });
  const weekday = weekdayOf(civil);
  return {
    Format: fn(['string'], (layout) => formatTime(time, layout)),
    String: fn([], () => formatTime(time, '2006-01-02 15:04:05.999999999 -0700 MST')),
    Year: fn([], () => BigInt(civil.year)),
    Month: fn([], () => named('Month', civil.month, monthNames[civil.month - 1])),
    Day: fn([], () => BigInt(civil.day)),
    Hour: fn([], () => BigInt(civil.hour)),
    Minute: fn([], () => BigInt(civil.minute)),
    Second: fn([], () => BigInt(civil.second)),
    Nanosecond: fn([], () => BigInt(civil.nanosecond)),
    Weekday: fn([], () => named('Weekday', weekday, weekdayNames[weekday])),
    YearDay: fn([], () => BigInt(yearDayOf(civil))),
    Unix: fn([], () => int64(floorDiv(time.nanoseconds, SECOND))),
    UnixMilli: fn([], () => int64(floorDiv(time.nanoseconds, 1_000_000n))),
    UnixMicro: fn([], () => int64(floorDiv(time.nanoseconds, 1000n))),
    UnixNano: fn([], () => int64(time.nanoseconds)),
    UTC: fn([], () => time.in(utc)),
    Local: contextual([], ({ environment }) => time.in(environment.localZone)),
    IsZero: fn([], () => time.nanoseconds === zeroInstant.nanoseconds),
    Before: fn(['time'], (other) => time.nanoseconds < other.nanoseconds),
    After: fn(['time'], (other) => time.nanoseconds > other.nanoseconds),
    Equal: fn(['time'], (other) => time.nanoseconds === other.nanoseconds),
    Compare: fn(['time'], (other) => BigInt(Number(time.nanoseconds > other.nanoseconds) - Number(time.nanoseconds < other.nanoseconds))),
    Sub: fn(['time'], (other) => durationValue(time.nanoseconds - other.nanoseconds)),
    AddDate: fn(['int', 'int', 'int'], (years, months, days) => addDate(time, Number(years), Number(months), Number(days))),
  };
}

/** Months and days beyond the end count on. */
function addDate(time: Instant, years: number, months: number, days: number): Instant {
  const civil = time.civil();
  const month = civil.month - 1 + months;
  const target = daysFromCivil(civil.year + years + Math.floor(month / 12), (((month % 12) + 12) % 12) + 1, civil.day + days);
  if (!Number.isSafeInteger(target)) throw new CallFailure('the date is out of range');
  const shift = BigInt(target - daysFromCivil(civil.year, civil.month, civil.day)) * 86_400n * SECOND;
  const moved = new Instant(time.nanoseconds + shift, time.zone);
  return new Instant(moved.nanoseconds + BigInt(time.offset - moved.offset) * SECOND, time.zone);
}
