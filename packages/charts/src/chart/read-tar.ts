import { HivekeepError } from '@hivekeep/contracts';

export interface TarFile {
  readonly name: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;
/** Fields of a header: offset and length. Source: POSIX.1-2001 pax, ustar interchange format. */
const FIELD = { name: [0, 100], size: [124, 12], checksum: [148, 8], type: [156, 1], magic: [257, 6], prefix: [345, 155] } as const;
/** Bytes of a long name or of extended attributes that are read. */
const MAX_ATTRIBUTES = 64 * 1024;

/**
 * The regular files of a tar archive in its order, with names as they are written: ustar, pax and GNU's long names. Throws `chart/invalid`
 * for a damaged or cut archive.
 */
export function* readTar(archive: Uint8Array, origin: string): Generator<TarFile> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  let attributes: Attributes = {};
  for (let at = 0; at < bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.length === BLOCK && header.every((byte) => byte === 0)) return;
    if (header.length < BLOCK || !hasChecksum(header)) throw damaged(origin, at);
    const size = attributes.size ?? numberAt(header, FIELD.size);
    const start = at + BLOCK;
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (!Number.isSafeInteger(size) || start + size > bytes.length) throw damaged(origin, start - BLOCK);
    const content = bytes.subarray(start, start + size);
    const type = String.fromCharCode(header[FIELD.type[0]] as number);
    if ('xLKg'.includes(type)) {
      if (size > MAX_ATTRIBUTES) throw damaged(origin, start - BLOCK);
      attributes = { ...attributes, ...attributesOf(type, content) };
      continue;
    }
    const name = attributes.name ?? nameOf(header);
    attributes = {};
    if ((type === '0' || type === '\0') && !name.endsWith('/')) yield { name, content };
  }
}

interface Attributes {
  readonly name?: string;
  readonly size?: number;
}

function attributesOf(type: string, content: Buffer): Attributes {
  if (type === 'L') return { name: textOf(content) };
  if (type !== 'x') return {}; // a long link target, or what holds for the whole archive and names no file
  const found: { name?: string; size?: number } = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at);
    const length = Number(content.toString('latin1', at, space));
    if (space < 0 || !Number.isSafeInteger(length) || length <= space - at + 1) break;
    const record = content.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path') found.name = value;
    if (key === 'size') found.size = Number(value);
    at += length;
  }
  return found;
}

function nameOf(header: Buffer): string {
  const name = textOf(field(header, FIELD.name));
  const prefix = field(header, FIELD.magic).toString('latin1') === 'ustar\0' ? textOf(field(header, FIELD.prefix)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The sum of a header's bytes, those of the sum itself taken as spaces; old writers took bytes as signed. */
function hasChecksum(header: Buffer): boolean {
  const expected = numberAt(header, FIELD.checksum);
  const [from, length] = FIELD.checksum;
  let [unsigned, signed] = [0, 0];
  for (let index = 0; index < BLOCK; index++) {
    const byte = index >= from && index < from + length ? 0x20 : (header[index] as number);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return expected === unsigned || expected === signed;
}

/** Octal digits, or (GNU) a number in binary behind a set first bit. */
function numberAt(header: Buffer, position: readonly [number, number]): number {
  const bytes = field(header, position);
  if (((bytes[0] as number) & 0x80) !== 0)
    return Number(BigInt(`0x${bytes.toString('hex')}`) & ((1n << BigInt(bytes.length * 8 - 1)) - 1n));
  const digits = textOf(bytes).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
}

function field(header: Buffer, [offset, length]: readonly [number, number]): Buffer {
  return header.subarray(offset, offset + length);
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function damaged(origin: string, at: number): HivekeepError {
  return new HivekeepError('chart/invalid', `${origin} is damaged: there is no tar entry at byte ${at} of what it unpacks to`);
}
