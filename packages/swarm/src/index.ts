export * from './client/docker-endpoint.ts';
export * from './client/docker-swarm.ts';
export type { CallObserver, CallOptions } from './client/engine-http.ts';
