export * from './backend-contract.ts';
export { type Behaviour, type FakeCall, FakeEngine } from './fake-engine.ts';
export * from './node-contract.ts';
export * from './registry-contract.ts';
