/** Preloaded into a process (`preload`): its wall clock is off by `TEST_CLOCK_SHIFT_MS`. */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS);

globalThis.Date = new Proxy(Date, {
  construct: (date, args, newTarget) => Reflect.construct(date, args.length === 0 ? [date.now() + shiftMs] : args, newTarget),
  get: (date, key, receiver) => (key === 'now' ? () => date.now() + shiftMs : Reflect.get(date, key, receiver)),
});
