import { expect, it } from 'vitest';
import type { NodeBackend } from '../ports.ts';

/** A node on which the contract is tried. Names are made unique by whoever makes the bench. */
export interface NodeBackendBench extends AsyncDisposable {
  readonly backend: NodeBackend;
  /** Makes a volume on this node that carries the stack's label, or one that carries none. Returns its name. */
  createVolume(short: string, stack: string | undefined): Promise<string>;
  /** Makes a container use the volume. */
  use(volume: string): Promise<void>;
  /** The volumes of the bench that exist now. */
  existing(): Promise<readonly string[]>;
  /** A stack name of the bench's own. */
  stackName(short: string): string;
}

/** What every NodeBackend must do; call it inside a `describe`. */
export function nodeBackendContract(open: () => Promise<NodeBackendBench>): void {
  const signal = () => AbortSignal.timeout(20_000);

  it('lists the volumes of one stack, with their labels, and no other', async () => {
    await using bench = await open();
    const [shop, blog] = [bench.stackName('shop'), bench.stackName('blog')];
    const mine = await bench.createVolume('data', shop);
    await bench.createVolume('data', blog);
    await bench.createVolume('loose', undefined);
    const listed = await bench.backend.stackVolumes(shop, signal());
    expect(listed.map(({ name }) => name)).toEqual([mine]);
    expect(Object.values(listed[0]?.labels ?? {})).toContain(shop);
    expect(await bench.backend.stackVolumes(bench.stackName('nothing'), signal())).toEqual([]);
  });

  it('removes one volume by name; gone already is success', async () => {
    await using bench = await open();
    const shop = bench.stackName('shop');
    const [gone, kept] = [await bench.createVolume('gone', shop), await bench.createVolume('kept', shop)];
    expect(await bench.backend.removeVolume(gone, signal())).toBe(true);
    expect(await bench.backend.removeVolume(gone, signal())).toBe(false);
    expect(await bench.existing()).toEqual([kept]);
  });

  it('refuses a volume that a container has', async () => {
    await using bench = await open();
    const volume = await bench.createVolume('busy', bench.stackName('shop'));
    await bench.use(volume);
    await expect(bench.backend.removeVolume(volume, signal())).rejects.toMatchObject({ code: 'swarm/in-use' });
    expect(await bench.existing()).toEqual([volume]);
  });

  it('does nothing for a caller that has given up', async () => {
    await using bench = await open();
    const volume = await bench.createVolume('data', bench.stackName('shop'));
    await expect(bench.backend.removeVolume(volume, AbortSignal.abort())).rejects.toThrow();
    expect(await bench.existing()).toEqual([volume]);
  });
}
