import { copyFile, glob, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab, LabNode } from '@hivekeep/testkit';

/** Wall clocks of the processes that load it, one for each node; their monotonic clocks stay right. */
export interface WallClocks {
  /** A compose service with what loads it. */
  readonly mount: { readonly type: 'bind'; readonly source: string; readonly target: string; readonly read_only: true };
  readonly environment: Readonly<Record<string, string>>;
  /** How far those on a node are off, as libfaketime reads it: `+10m`. */
  set(node: LabNode, offset: string): Promise<void>;
}

const TARGET = '/faketime';
const LIBRARY = 'libfaketime.so.1';

/** Puts Debian's libfaketime where every node sees it. */
export async function wallClocks(lab: Lab, folder: string): Promise<WallClocks> {
  const source = join(folder, 'faketime');
  await mkdir(source);
  for await (const found of glob(`/usr/lib/*/faketime/${LIBRARY}`)) await copyFile(found, join(source, LIBRARY));
  // a file is replaced whole: one that is read half written ends the process
  const set = async ({ name }: LabNode, offset: string) => {
    await writeFile(join(source, `${name}.new`), offset);
    await rename(join(source, `${name}.new`), join(source, name));
  };
  for (const node of lab.nodes) await set(node, '+0');
  return {
    mount: { type: 'bind', source, target: TARGET, read_only: true },
    environment: {
      LD_PRELOAD: `${TARGET}/${LIBRARY}`,
      FAKETIME_TIMESTAMP_FILE: `${TARGET}/{{.Node.Hostname}}`,
      FAKETIME_CACHE_DURATION: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}
