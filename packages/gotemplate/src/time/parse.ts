import { daysBefore, daysIn, isLeap, monthNames, nanosecondsOf, SECOND, weekdayNames } from './civil.ts';
import { Instant } from './instant.ts';
import { type LayoutPart, layoutParts } from './layout.ts';
import { fixedZone, utc, type Zone } from './zone.ts';

/** Why a text does not fit its layout. */
class Mismatch extends Error {}

interface Fields {
  year: number;
  month: number | undefined;
  day: number | undefined;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half: 'am' | 'pm' | undefined;
  isUtc: boolean;
  offset: number | undefined;
  zoneName: string;
}

/** `time.ParseInLocation(layout, text, zone)`, or the reason why it fails. */
export function parseTime(layout: string, text: string, zone: Zone): Instant | string {
  try {
    const reader = new TimeReader(text);
    const parts = layoutParts(layout);
    for (const [index, part] of parts.entries()) reader.read(part, parts[index + 1]);
    return assemble(reader.finish(), zone);
  } catch (error) {
    if (error instanceof Mismatch) return `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: ${error.message}`;
    throw error;
  }
}

class TimeReader {
  #rest: string;
  readonly #fields: Fields = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    half: undefined,
    isUtc: false,
    offset: undefined,
    zoneName: '',
  };

  constructor(text: string) {
    this.#rest = text;
  }

  finish(): Fields {
    if (this.#rest !== '') throw new Mismatch(`extra text: ${JSON.stringify(this.#rest)}`);
    return this.#fields;
  }

  read(part: LayoutPart, next: LayoutPart | undefined): void {
    if (part.type === 'literal') this.#skip(part.text);
    else if (part.type === 'fraction') this.#fraction(part.digits, part.trim);
    else this.#element(part.text, next);
  }

  /** A run of spaces in the layout fits any run in the text. */
  #skip(literal: string): void {
    for (let at = 0; at < literal.length; ) {
      if (literal[at] === ' ') {
        if (this.#rest !== '' && this.#rest[0] !== ' ') throw new Mismatch('a space is missing');
        while (literal[at] === ' ') at++;
        this.#rest = this.#rest.replace(/^ +/, '');
      } else if (this.#rest[0] === literal[at++]) this.#rest = this.#rest.slice(1);
      else throw new Mismatch(`${JSON.stringify(literal)} is missing`);
    }
  }

  #take(pattern: RegExp, what: string): string {
    const match = pattern.exec(this.#rest);
    if (!match) throw new Mismatch(`${what} is missing at ${JSON.stringify(this.#rest)}`);
    this.#rest = this.#rest.slice(match[0].length);
    return match[0];
  }

  #number(what: string, fixed: boolean, low: number, high: number): number {
    const value = Number(this.#take(fixed ? /^[0-9]{2}/ : /^[0-9]{1,2}/, what));
    if (value < low || value > high) throw new Mismatch(`${what} out of range`);
    return value;
  }

  #name(names: readonly string[], length: number | undefined, what: string): number {
    const index = names.findIndex((name) => this.#rest.toLowerCase().startsWith(name.slice(0, length).toLowerCase()));
    const name = names[index];
    if (name === undefined) throw new Mismatch(`${what} is missing at ${JSON.stringify(this.#rest)}`);
    this.#rest = this.#rest.slice(name.slice(0, length).length);
    return index;
  }

  #element(text: string, next: LayoutPart | undefined): void {
    const fields = this.#fields;
    switch (text) {
      case '2006':
        fields.year = Number(this.#take(/^[0-9]{4}/, 'year'));
        return;
      case '06': {
        const year = Number(this.#take(/^[0-9]{2}/, 'year'));
        fields.year = year + (year >= 69 ? 1900 : 2000);
        return;
      }
      case 'January':
      case 'Jan':
        fields.month = this.#name(monthNames, text === 'Jan' ? 3 : undefined, 'month') + 1;
        return;
      case 'Monday':
      case 'Mon':
        this.#name(weekdayNames, text === 'Mon' ? 3 : undefined, 'weekday');
        return;
      case '01':
      case '1':
        fields.month = this.#number('month', text === '01', 1, 12);
        return;
      case '002':
      case '__2':
        if (text === '__2') this.#rest = this.#rest.replace(/^ {1,2}/, '');
        fields.yearDay = Number(this.#take(text === '002' ? /^[0-9]{3}/ : /^[0-9]{1,3}/, 'day of the year'));
        return;
      case '_2':
      case '02':
      case '2':
        if (text === '_2') this.#rest = this.#rest.replace(/^ /, '');
        fields.day = this.#number('day', text === '02', 0, 99);
        return;
      default:
        this.#clock(text, next);
    }
  }

  #clock(text: string, next: LayoutPart | undefined): void {
    const fields = this.#fields;
    switch (text) {
      case '15':
        fields.hour = this.#number('hour', false, 0, 23);
        return;
      case '03':
      case '3':
        fields.hour = this.#number('hour', text === '03', 0, 12);
        return;
      case '04':
      case '4':
        fields.minute = this.#number('minute', text === '04', 0, 59);
        return;
      case '05':
      case '5':
        fields.second = this.#number('second', text === '05', 0, 59);
        // A fraction may follow that the layout does not have.
        if (/^[.,][0-9]/.test(this.#rest) && next?.type !== 'fraction') this.#fraction(0, true);
        return;
      case 'PM':
        fields.half = this.#take(/^[AP]M/, 'AM or PM') === 'PM' ? 'pm' : 'am';
        return;
      case 'pm':
        fields.half = this.#take(/^[ap]m/, 'am or pm') === 'pm' ? 'pm' : 'am';
        return;
      case 'MST':
        this.#zoneName();
        return;
      default:
        this.#offset(text);
    }
  }

  #fraction(digits: number, open: boolean): void {
    if (open && !/^[.,][0-9]/.test(this.#rest)) return;
    const pattern = open ? /^[.,][0-9]+/ : new RegExp(`^[.,][0-9]{${Math.min(digits, 1000)}}`);
    const fraction = this.#take(pattern, 'fraction of a second').slice(1);
    this.#fields.nanosecond = Number(fraction.slice(0, 9).padEnd(9, '0'));
  }

  #offset(form: string): void {
    if (form.startsWith('Z') && this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      this.#fields.isUtc = true;
      return;
    }
    const colon = form.includes(':') ? ':' : '';
    const parts = form.length <= 3 ? 1 : form.length >= 7 ? 3 : 2;
    const pattern = new RegExp(`^[+-]${Array(parts).fill('[0-9]{2}').join(colon)}`);
    const text = this.#take(pattern, 'time zone offset');
    const [hours = 0, minutes = 0, seconds = 0] = (text.slice(1).match(/[0-9]{2}/g) ?? []).map(Number);
    if (hours > 24 || minutes > 60 || seconds > 60) throw new Mismatch('time zone offset out of range');
    this.#fields.offset = (text[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
  }

  #zoneName(): void {
    if (this.#rest.startsWith('UTC')) {
      this.#rest = this.#rest.slice(3);
      this.#fields.isUtc = true;
      return;
    }
    const name = zoneNameAt(this.#rest);
    if (name === undefined) throw new Mismatch('time zone is missing');
    this.#fields.zoneName = name;
    this.#rest = this.#rest.slice(name.length);
  }
}

/** What Go takes for the abbreviation of a zone. */
function zoneNameAt(text: string): string | undefined {
  const special = /^(?:ChST|MeST)/.exec(text)?.[0];
  if (special !== undefined) return special;
  const offset = /^(GMT)?([+-])([0-9]+)/.exec(text);
  if (text.startsWith('GMT') || offset) return offset && Number(offset[3]) <= 23 ? offset[0] : text.startsWith('GMT') ? 'GMT' : undefined;
  const letters = /^[A-Z]{0,6}/.exec(text)?.[0] ?? '';
  if (letters.length === 3) return letters;
  if (letters.length === 4) return letters[3] === 'T' || letters === 'WITA' ? letters : undefined;
  return letters.length === 5 && letters[4] === 'T' ? letters : undefined;
}

function assemble(fields: Fields, zone: Zone): Instant {
  const hour = fields.half === 'pm' && fields.hour < 12 ? fields.hour + 12 : fields.half === 'am' && fields.hour === 12 ? 0 : fields.hour;
  const { month, day } = dateOf(fields);
  if (day < 1 || day > daysIn(month, fields.year)) throw new Mismatch('day out of range');
  const local = nanosecondsOf({ ...fields, hour, month, day });
  if (fields.isUtc) return new Instant(local, utc);
  if (fields.offset !== undefined) return withOffset(local, fields.offset, fields.zoneName, zone);
  if (fields.zoneName !== '') return withZoneName(local, fields.zoneName, zone);
  const guess = zone.at(local).offset;
  const offset = zone.at(local - BigInt(guess) * SECOND).offset;
  return new Instant(local - BigInt(offset) * SECOND, zone);
}

function dateOf(fields: Fields): { month: number; day: number } {
  if (fields.yearDay === undefined) return { month: fields.month ?? 1, day: fields.day ?? 1 };
  let yearDay = fields.yearDay;
  let found: { month: number; day: number } | undefined;
  if (isLeap(fields.year)) {
    if (yearDay === 60) found = { month: 2, day: 29 };
    else if (yearDay > 60) yearDay--;
  }
  if (yearDay < 1 || yearDay > 365) throw new Mismatch('day of the year out of range');
  if (!found) {
    const month = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].find((each) => daysBefore(each) < yearDay) ?? 1;
    found = { month, day: yearDay - daysBefore(month) };
  }
  if (fields.month !== undefined && fields.month !== found.month) throw new Mismatch('day of the year does not match month');
  if (fields.day !== undefined && fields.day !== found.day) throw new Mismatch('day of the year does not match day');
  return found;
}

function withOffset(local: bigint, offset: number, name: string, zone: Zone): Instant {
  const nanoseconds = local - BigInt(offset) * SECOND;
  const here = zone.at(nanoseconds);
  const isHere = here.offset === offset && (name === '' || name === here.abbreviation);
  return new Instant(nanoseconds, isHere ? zone : fixedZone(name, offset));
}

/** An abbreviation that the zone does not know stands for UTC under another name, but for GMT with an offset. */
function withZoneName(local: bigint, name: string, zone: Zone): Instant {
  const here = zone.at(local);
  if (here.abbreviation === name) return new Instant(local - BigInt(here.offset) * SECOND, zone);
  const offset = name.length > 3 && name.startsWith('GMT') ? Number(name.slice(3)) * 3600 : 0;
  return new Instant(local, fixedZone(name, offset));
}
