export { ReconcilerOptions } from './config.ts';
export { type RunningReconciler, type StartReconcilerOptions, startReconciler } from './start-reconciler.ts';
export { AgentReach } from './sweep/agent-reach.ts';
