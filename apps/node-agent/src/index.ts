export { NodeAgentModule, nodeAgentModule } from './node-agent.module.ts';
export { NodeBackend, type NodeVolume } from './ports.ts';
export { type NodeAgentOptions, startNodeAgent } from './start-node-agent.ts';
export { VolumeDoor, type VolumeDoorOptions } from './volume-door.ts';
