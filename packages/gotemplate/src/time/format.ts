import { monthNames, weekdayNames, weekdayOf, yearDayOf } from './civil.ts';
import type { Instant } from './instant.ts';
import { layoutParts } from './layout.ts';

const padded = (value: number, width: number) => `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(width, '0')}`;
const spaced = (value: number, width: number) => String(value).padStart(width, ' ');

/** A time by a Go layout. */
export function formatTime(time: Instant, layout: string): string {
  const civil = time.civil();
  const zone = time.zone.at(time.nanoseconds);
  const hour12 = civil.hour % 12 || 12;
  const element = (text: string): string => {
    switch (text) {
      case '2006':
        return padded(civil.year, 4);
      case '06':
        return padded(Math.abs(civil.year) % 100, 2);
      case 'January':
        return monthNames[civil.month - 1] ?? '';
      case 'Jan':
        return (monthNames[civil.month - 1] ?? '').slice(0, 3);
      case 'Monday':
        return weekdayNames[weekdayOf(civil)] ?? '';
      case 'Mon':
        return (weekdayNames[weekdayOf(civil)] ?? '').slice(0, 3);
      case 'MST':
        return zone.abbreviation || offsetText(zone.offset, '-0700');
      case 'PM':
        return civil.hour >= 12 ? 'PM' : 'AM';
      case 'pm':
        return civil.hour >= 12 ? 'pm' : 'am';
      case '002':
        return padded(yearDayOf(civil), 3);
      case '__2':
        return spaced(yearDayOf(civil), 3);
      case '_2':
        return spaced(civil.day, 2);
      default:
        return numbers[text]
          ? numbers[text](civil.month, civil.day, civil.hour, hour12, civil.minute, civil.second)
          : offsetText(zone.offset, text);
    }
  };
  return layoutParts(layout)
    .map((part) => {
      if (part.type === 'literal') return part.text;
      return part.type === 'element' ? element(part.text) : fractionText(civil.nanosecond, part);
    })
    .join('');
}

type NumberOf = (month: number, day: number, hour: number, hour12: number, minute: number, second: number) => string;
const numbers: Readonly<Record<string, NumberOf>> = {
  '01': (month) => padded(month, 2),
  '1': (month) => String(month),
  '02': (_m, day) => padded(day, 2),
  '2': (_m, day) => String(day),
  '15': (_m, _d, hour) => padded(hour, 2),
  '03': (_m, _d, _h, hour12) => padded(hour12, 2),
  '3': (_m, _d, _h, hour12) => String(hour12),
  '04': (_m, _d, _h, _h12, minute) => padded(minute, 2),
  '4': (_m, _d, _h, _h12, minute) => String(minute),
  '05': (_m, _d, _h, _h12, _min, second) => padded(second, 2),
  '5': (_m, _d, _h, _h12, _min, second) => String(second),
};

function fractionText(nanosecond: number, part: { digits: number; separator: string; trim: boolean }): string {
  if (part.trim && nanosecond === 0) return '';
  const digits = padded(nanosecond, 9).padEnd(part.digits, '0').slice(0, Math.min(part.digits, 9));
  const shown = part.trim ? digits.replace(/0+$/, '') : digits;
  return shown === '' ? '' : part.separator + shown;
}

/** An offset as `-0700`, `-07:00`, `-07` or with seconds; `Z…` writes UTC as Z. */
function offsetText(offset: number, form: string): string {
  if (form.startsWith('Z') && offset === 0) return 'Z';
  const minutes = Math.trunc(offset / 60);
  const colon = form.includes(':') ? ':' : '';
  const size = Math.abs(minutes);
  let text = (minutes < 0 ? '-' : '+') + padded(Math.floor(size / 60), 2);
  if (form.length > 3) text += colon + padded(size % 60, 2);
  if (form.length === 7 || form.length === 9) text += colon + padded(Math.abs(offset) % 60, 2);
  return text;
}
