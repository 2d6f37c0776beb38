import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What this process counts. One for all services in it: a number belongs to the process, as its memory does. */
const registry = new Registry();
let withProcess = false;

/** Seconds; most calls take milliseconds, a rollout minutes. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];

/** A count that only grows, `hivekeep_<name>_total`. Labels have few values: names of verbs and codes, never of users' objects. */
export function counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
  return new Counter({ name: `hivekeep_${name}_total`, help, labelNames: [...labelNames], registers: [registry] });
}

/** A number that goes up and down, `hivekeep_<name>`. */
export function gauge<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
  return new Gauge({ name: `hivekeep_${name}`, help, labelNames: [...labelNames], registers: [registry] });
}

/** How long something takes, `hivekeep_<name>_seconds`. */
export function durations<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Histogram<L> {
  return new Histogram({ name: `hivekeep_${name}_seconds`, help, labelNames: [...labelNames], buckets: BUCKETS, registers: [registry] });
}

/** All of it in Prometheus' text format, with the process' own memory, CPU, files and event loop. */
export function metricsText(): Promise<string> {
  if (!withProcess) collectDefaultMetrics({ register: registry });
  withProcess = true;
  return registry.metrics();
}

/** The content type of `metricsText`. */
export const METRICS_TYPE: string = registry.contentType;
