/**
 * Preloaded into a process (`preload`): its monotonic clock stands still while it is stopped, as that of a machine that is
 * suspended. A gap between two looks that no event loop makes counts as a stop.
 */
const LONGEST_GAP_MS = 5_000;
const real = performance.now.bind(performance);
let seen = real();
let stood = 0;

function now(): number {
  const at = real();
  if (at - seen > LONGEST_GAP_MS) stood += at - seen;
  seen = at;
  return at - stood;
}

setInterval(now, 50).unref();
Object.defineProperty(performance, 'now', { value: now });
