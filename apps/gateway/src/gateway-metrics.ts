import { counter, durations, gauge } from '@hivekeep/runtime';

/** What a gateway counts; docs/operations.md says what each number means. */
export const gatewayMetrics = {
  requests: counter('http_requests', 'HTTP requests, by method, route and status.', ['method', 'route', 'status']),
  request: durations('http_request', 'Time of one HTTP request; an event stream counts when it ends.', ['method', 'route']),
  streams: gauge('event_streams', 'Event clients that are connected.'),
} as const;
