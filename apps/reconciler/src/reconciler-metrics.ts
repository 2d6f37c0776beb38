import { counter, durations, gauge } from '@hivekeep/runtime';

/** What a reconciler counts; docs/operations.md says what each number means. */
export const reconcilerMetrics = {
  ticks: counter('ticks', 'Ticks: moments at which applications were due.'),
  passes: counter('passes', 'Passes over one application, by outcome: ok or the code of the error.', ['outcome']),
  pass: durations('pass', 'Time of one pass over one application, waits for its services included.'),
  plans: counter('plans', 'Plans made.'),
  applies: counter('applies', 'Plans applied, by outcome: ok or the code of the error.', ['outcome']),
  apply: durations('apply', 'Time of one apply.'),
  leaseHeld: gauge('lease_held', 'Whether this process holds the lease of its swarm (1) or not (0).'),
  leaseEpoch: gauge('lease_epoch', 'The epoch of the lease this process holds; 0 without one.'),
  leaseTaken: counter('lease_taken', 'Times this process took the lease.'),
  applications: gauge('applications', 'Applications of this swarm, by state of sync and health.', ['sync', 'health']),
  nodes: gauge('nodes', 'Nodes of this swarm that an agent covers, and those that none does, by reason.', ['covered', 'reason']),
  sweeps: gauge('sweeps', 'Releases that left and are not gone yet, by state.', ['state']),
  recordBytes: gauge('record_bytes', 'Bytes of kept release records on this swarm.'),
  eventsQueued: gauge('events_queued', 'Events that wait for the log.'),
  eventsDropped: counter('events_dropped', 'Events dropped because too many waited for the log.'),
  viewsQueued: gauge('views_queued', 'Views that wait for their store.'),
} as const;
