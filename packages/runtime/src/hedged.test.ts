import { HivekeepError } from '@hivekeep/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hedged } from './hedged.ts';

describe('hedged', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const never = new AbortController().signal;
  const asks: { signal: AbortSignal; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const start = (most = 3, signal = never) => {
    asks.length = 0;
    const ask = (own: AbortSignal) =>
      new Promise<string>((answer, fail) => {
        asks.push({ signal: own, answer, fail });
        own.addEventListener('abort', () => fail(new Error('aborted')));
      });
    const asked = hedged(ask, { everyMs: 100, most, signal });
    asked.catch(() => undefined);
    return asked;
  };

  it('asks once when the answer comes in time', async () => {
    const asked = start();
    asks[0]?.answer('a');
    await expect(asked).resolves.toBe('a');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asks).toHaveLength(1);
  });

  it('asks again beside a silent one, takes the first answer and drops the rest', async () => {
    const asked = start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asks).toHaveLength(3);
    asks[1]?.answer('b');
    await expect(asked).resolves.toBe('b');
    expect(asks.every(({ signal }) => signal.aborted)).toBe(true);
  });

  const lost = (message: string) => new HivekeepError('bus/no-answer', message);

  it('fails at once when nothing else is under way, and with the last error', async () => {
    const asked = start();
    asks[0]?.fail(lost('one'));
    await expect(asked).rejects.toThrow('one');
    const again = start();
    await vi.advanceTimersByTimeAsync(100);
    asks[0]?.fail(lost('one'));
    asks[1]?.fail(lost('two'));
    await expect(again).rejects.toThrow('two');
  });

  it("ends with a replica's own error, whatever else is under way", async () => {
    const asked = start();
    await vi.advanceTimersByTimeAsync(100);
    asks[1]?.fail(new HivekeepError('source/unreachable', 'the remote does not answer'));
    await expect(asked).rejects.toThrow('the remote does not answer');
    expect(asks.every(({ signal }) => signal.aborted)).toBe(true);
  });

  it('goes on asking while the first is silent, however often nobody is there', async () => {
    const asked = start();
    for (let again = 1; again <= 5; again += 1) {
      await vi.advanceTimersByTimeAsync(100);
      asks[again]?.fail(lost('nobody is there'));
    }
    await vi.advanceTimersByTimeAsync(100);
    asks[6]?.answer('back');
    await expect(asked).resolves.toBe('back');
  });

  it('ends when nobody ever answers and each try waits out its time', async () => {
    const asked = start();
    for (let at = 0; at < 10; at += 1) {
      await vi.advanceTimersByTimeAsync(at === 0 ? 250 : 100);
      asks[at]?.fail(lost(`late ${at}`));
    }
    await expect(asked).rejects.toThrow('late 2');
  }, 1_000);

  it('ends with its caller', async () => {
    const caller = new AbortController();
    const asked = start(3, caller.signal);
    caller.abort();
    await expect(asked).rejects.toThrow('aborted');
  });
});
