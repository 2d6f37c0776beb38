import { gzipSync } from 'node:zlib';
import type { ChartDirectory, DirectoryEntry } from '../chart/load-chart-directory.ts';

/** Files by path; `link` makes a symlink of one. */
export type ChartFiles = Readonly<Record<string, string | Uint8Array | 'link'>>;

export const LINK = 'link';

/** The least that is a chart, with what is given over it. */
export function chartFiles(files: ChartFiles = {}): ChartFiles {
  return {
    'Chart.yaml': 'name: demo\nversion: 1.0.0\n',
    'templates/stack.yaml': 'services:\n  web:\n    image: nginx:1.27\n',
    ...files,
  };
}

/** A folder in memory. */
export function memoryDirectory(files: ChartFiles): ChartDirectory {
  const content = (path: string): Uint8Array => Buffer.from(files[path] ?? '');
  return {
    list: async (path) => {
      const prefix = path === '' ? '' : `${path}/`;
      const below = Object.keys(files).filter((name) => name.startsWith(prefix));
      if (below.length === 0 && path !== '') return undefined;
      const entries = new Map<string, DirectoryEntry>();
      for (const name of below) {
        const [first = '', ...rest] = name.slice(prefix.length).split('/');
        const kind = rest.length > 0 ? 'directory' : files[name] === LINK ? 'symlink' : 'file';
        entries.set(first, { name: first, kind });
      }
      return [...entries.values()];
    },
    size: async (path) => content(path).byteLength,
    read: async (path) => content(path),
  };
}

export interface TarEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** '0' (a file) when absent. */
  readonly type?: string;
}

/** A `.tgz` with these entries, names as given. */
export function tgz(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap(({ name, content = '', type = '0' }) => {
    const bytes = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100, 'utf8');
    header.write('0000644\0', 100, 'latin1');
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
    header.write('        ', 148, 'latin1');
    header.write(type, 156, 'latin1');
    header.write('ustar\u000000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A chart packed as its publishers do: everything below one folder. */
export function chartArchive(files: ChartFiles): Uint8Array {
  return tgz(
    Object.entries(files).map(([name, content]) =>
      content === LINK ? { name: `demo/${name}`, type: '2' } : { name: `demo/${name}`, content },
    ),
  );
}
