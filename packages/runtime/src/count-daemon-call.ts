import { counter, durations } from './metrics.ts';

const calls = counter('daemon_calls', 'Calls to the engine, by method and outcome: ok or the code of the error.', ['method', 'outcome']);
const call = durations('daemon_call', 'Time of one call to the engine.', ['method']);

/** Counts one call to an engine. Here, not with a service: those that call engines may share a process, and so its numbers. */
export function countDaemonCall({ method, ms, code }: { readonly method: string; readonly ms: number; readonly code: string }): void {
  calls.inc({ method, outcome: code });
  call.observe({ method }, ms / 1_000);
}
