export { NodeAgentModule, nodeAgentModule } from './node-agent.module.ts';
export { type NodeAgentOptions, startNodeAgent } from './start-node-agent.ts';
export { VolumeDoor } from './volume-door.ts';
