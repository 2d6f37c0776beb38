import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SharedSlots } from './shared-slots.ts';

/** Tasks that run until they are ended, by the letter of their owner. */
class Tasks {
  readonly started: string[] = [];
  readonly #slots = new SharedSlots({ perOwner: 2, total: 4 });
  readonly #ends = new Map<string, () => void>();

  /** Begins tasks named `a1`, `a2`, `b1` … for the owners `a`, `b`. */
  begin(...names: readonly string[]): Promise<unknown>[] {
    return names.map((name) =>
      this.#slots.run(name.slice(0, 1), async () => {
        this.started.push(name);
        await new Promise<void>((resolve) => this.#ends.set(name, resolve));
        return name;
      }),
    );
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await setImmediate();
  }
}

describe('SharedSlots', () => {
  it('starts the task of one owner at once while another has its own full', async () => {
    const tasks = new Tasks();
    tasks.begin('a1', 'a2', 'a3', 'b1');
    expect(tasks.started).toEqual(['a1', 'a2', 'b1']);
  });

  it('starts the tasks of an owner in order, each when one of its own ends', async () => {
    const tasks = new Tasks();
    tasks.begin('a1', 'a2', 'a3', 'a4', 'b1');
    await tasks.end('b1');
    expect(tasks.started).not.toContain('a3');
    await tasks.end('a2');
    expect(tasks.started).toEqual(['a1', 'a2', 'b1', 'a3']);
    await tasks.end('a1');
    tasks.begin('a5');
    expect(tasks.started.at(-1)).toBe('a4');
  });

  it('runs no more than the total, but the first of every owner', async () => {
    const tasks = new Tasks();
    tasks.begin('a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1');
    expect(tasks.started).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1']);
    await tasks.end('a1');
    await tasks.end('b1');
    expect(tasks.started).not.toContain('c2');
    await tasks.end('d1');
    expect(tasks.started.at(-1)).toBe('c2');
  });

  it('gives a free slot to who runs the fewest, so that nobody waits who runs none', async () => {
    const tasks = new Tasks();
    tasks.begin('a1', 'b1', 'b2', 'c1', 'a2', 'c2');
    await tasks.end('c1');
    expect(tasks.started).toEqual(['a1', 'b1', 'b2', 'c1', 'c2']);
  });

  it('gives what a task gives, and the slot of one that fails to the next', async () => {
    const tasks = new Tasks();
    const [first] = tasks.begin('a1');
    await tasks.end('a1');
    await expect(first).resolves.toBe('a1');
    const slots = new SharedSlots({ perOwner: 1, total: 1 });
    const failing = slots.run('a', () => Promise.reject(new Error('no')));
    const next = slots.run('a', async () => 'next');
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('next');
  });
});
