import type { TarFile } from './read-tar.ts';

const BLOCK = 512;
/** A longer name stands in a pax record before its file. Source: POSIX.1-2001 pax, ustar interchange format. */
const MAX_NAME_BYTES = 100;

/** A tar archive of regular files: equal files give equal bytes, since no time and no owner is written. */
export function writeTar(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ name, content }) => {
    const long = Buffer.byteLength(name) > MAX_NAME_BYTES;
    return [...(long ? entry('x', 'pax', Buffer.from(paxRecord('path', name))) : []), ...entry('0', long ? 'long-name' : name, content)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function entry(type: '0' | 'x', name: string, content: Uint8Array): Uint8Array[] {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'utf8');
  for (const [text, offset] of [
    ['0000644\0', 100],
    ['0000000\0', 108],
    ['0000000\0', 116],
    [`${octal(content.byteLength, 11)}\0`, 124],
    [`${octal(0, 11)}\0`, 136],
    ['        ', 148],
    [type, 156],
    ['ustar\u000000', 257],
  ] as const)
    header.write(text, offset, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return [header, content, Buffer.alloc((BLOCK - (content.byteLength % BLOCK)) % BLOCK)];
}

/** `LENGTH key=value`, the length counting itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${rest}`;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
