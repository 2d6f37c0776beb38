import { nodeAgentCalls, type RequestOf } from '@hivekeep/contracts';
import { type CallContext, Handle } from '@hivekeep/runtime';
import { Controller } from '@nestjs/common';
import { VolumeDoor } from './volume-door.ts';

/** Answers the two calls of a node agent. */
@Controller()
export class VolumesHandler {
  readonly #door: VolumeDoor;

  constructor(door: VolumeDoor) {
    this.#door = door;
  }

  @Handle(nodeAgentCalls.stackVolumes)
  async onStackVolumes(request: RequestOf<typeof nodeAgentCalls.stackVolumes>, { signal }: CallContext) {
    const { nodeId, ticket, validMs, volumes } = await this.#door.stackVolumes({ ...request, signal });
    return { node: nodeId, ticket, validMs, volumes: volumes.map(({ name, labels }) => ({ name, labels: { ...labels } })) };
  }

  @Handle(nodeAgentCalls.removeVolume)
  async onRemoveVolume(request: RequestOf<typeof nodeAgentCalls.removeVolume>, { signal }: CallContext) {
    return this.#door.removeVolume({ ...request, signal });
  }
}
