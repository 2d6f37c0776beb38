import { HivekeepError } from '@hivekeep/contracts';

export interface WaitOptions {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  /** Made only when the time has passed. */
  readonly late: () => HivekeepError;
}

/** The error of a wait that its caller gave up. */
export function cancelledError(signal: AbortSignal): HivekeepError {
  return signal.reason instanceof HivekeepError
    ? signal.reason
    : new HivekeepError('cancelled', 'the caller gave up waiting', { cause: signal.reason });
}

/** Waits for `work` at most `ms` milliseconds and no longer than the signal allows. The work itself is not stopped. */
export function within<T>(work: Promise<T>, { ms, signal, late }: WaitOptions): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(late())), ms);
    const abort = () => settle(() => reject(signal ? cancelledError(signal) : late()));
    const settle = (end: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      end();
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
