import { type DynamicModule, Module } from '@nestjs/common';
import type { NodeBackend } from './ports.ts';
import { VolumeDoor } from './volume-door.ts';
import { VolumesHandler } from './volumes.handler.ts';

@Module({})
export class NodeAgentModule {}

/** One node's agent over that node's backend. */
export function nodeAgentModule(node: string, backend: NodeBackend): DynamicModule {
  return {
    module: NodeAgentModule,
    controllers: [VolumesHandler],
    providers: [{ provide: VolumeDoor, useFactory: () => new VolumeDoor({ node, backend }) }],
  };
}
