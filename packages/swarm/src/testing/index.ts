export { engineError } from '../client/engine-error.ts';
export { EngineHttp, type EngineRequest } from '../client/engine-http.ts';
export * from './backend-contract.ts';
export * from './driver-contract.ts';
export * from './engine-contract.ts';
export { type Behaviour, type FakeCall, FakeEngine } from './fake-engine.ts';
export * from './node-contract.ts';
export * from './registry-contract.ts';
export { withoutCapability } from './without-capability.ts';
