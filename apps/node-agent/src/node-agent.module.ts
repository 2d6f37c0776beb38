import type { NodeBackend } from '@hivekeep/swarm';
import { type DynamicModule, Module } from '@nestjs/common';
import { VolumeDoor } from './volume-door.ts';
import { VolumesHandler } from './volumes.handler.ts';

@Module({})
export class NodeAgentModule {}

/** One node's agent over that node's backend. */
export function nodeAgentModule(backend: NodeBackend): DynamicModule {
  return {
    module: NodeAgentModule,
    controllers: [VolumesHandler],
    providers: [{ provide: VolumeDoor, useFactory: () => new VolumeDoor(backend) }],
  };
}
