/** The proleptic Gregorian calendar, days counted from 1970-01-01. */

export const SECOND = 1_000_000_000n;

export interface CivilTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

export const floorDiv = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);

export const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function daysIn(month: number, year: number): number {
  return month === 2 && isLeap(year) ? 29 : (monthDays[month - 1] ?? 31);
}

/** Days before a month in a year that is no leap year. */
export function daysBefore(month: number): number {
  return monthDays.slice(0, month - 1).reduce((sum, days) => sum + days, 0);
}

/** Days from 1970-01-01; a month or day out of range counts on. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** Date and clock of nanoseconds since 1970 (already shifted into a zone). */
export function civilOf(nanoseconds: bigint): CivilTime {
  const seconds = floorDiv(nanoseconds, SECOND);
  const days = Number(floorDiv(seconds, 86_400n));
  const clock = Number(seconds - BigInt(days) * 86_400n);
  return {
    ...civilFromDays(days),
    hour: Math.floor(clock / 3600),
    minute: Math.floor(clock / 60) % 60,
    second: clock % 60,
    nanosecond: Number(nanoseconds - seconds * SECOND),
  };
}

/** Nanoseconds since 1970 of a date and clock in UTC. */
export function nanosecondsOf(time: CivilTime): bigint {
  const seconds = BigInt(daysFromCivil(time.year, time.month, time.day)) * 86_400n;
  return (seconds + BigInt(time.hour * 3600 + time.minute * 60 + time.second)) * SECOND + BigInt(time.nanosecond);
}

/** 0 is Sunday. */
export function weekdayOf({ year, month, day }: CivilTime): number {
  return (((daysFromCivil(year, month, day) + 4) % 7) + 7) % 7;
}

/** From 1. */
export function yearDayOf({ year, month, day }: CivilTime): number {
  return daysFromCivil(year, month, day) - daysFromCivil(year, 1, 1) + 1;
}

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
