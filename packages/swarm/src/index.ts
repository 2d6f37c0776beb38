export * from './client/docker-endpoint.ts';
export * from './client/docker-swarm.ts';
export type { CallObserver, CallOptions } from './client/engine-http.ts';
export * from './lease/controller-state.ts';
export type { Liveness } from './lease/lease-observer.ts';
export type { LeaseBinding, LeaseRecord, LeaseState } from './lease/lease-record.ts';
export * from './lease/swarm-lease.ts';
