import { describe, expect, test } from 'vitest';
import type { NodeReach } from '../seams/node-reach.ts';

/** A swarm of two nodes; volumes of stack `st` on the first: `st_data`, free, and `st_busy`, in use; and `other_data` of stack `other`. */
export interface NodeSubject extends AsyncDisposable {
  readonly reach: NodeReach;
  readonly swarm: string;
  /** Id of the node with the volumes. */
  readonly nodeId: string;
  /** Makes the second node unreachable. */
  loseSecondNode(): Promise<void>;
  /** Lets a ticket's time pass. */
  expireTickets(): Promise<void>;
}

/** What every `NodeReach` and `NodeBackend` must do. */
export function nodeContract(name: string, create: () => Promise<NodeSubject>): void {
  describe(`${name} as a NodeReach`, () => {
    test('leaves unreachable nodes out', async () => {
      await using subject = await create();
      const { reach, swarm } = subject;
      expect(await reach.nodes({ swarm })).toHaveLength(2);
      await subject.loseSecondNode();
      expect(await reach.nodes({ swarm })).toEqual([expect.objectContaining({ id: subject.nodeId })]);
    });

    test('gives the same backend for the same node, and none for an unknown one', async () => {
      await using subject = await create();
      const { reach, swarm, nodeId } = subject;
      await reach.nodes({ swarm });
      expect(reach.nodeBackend({ swarm, nodeId })).toBe(reach.nodeBackend({ swarm, nodeId }));
      expect(() => reach.nodeBackend({ swarm, nodeId: 'nope' })).toThrow(expect.objectContaining({ code: 'node/unknown' }));
    });
  });

  describe(`${name}: a node's volumes`, () => {
    const listed = async (subject: NodeSubject, epoch = 5) => {
      await subject.reach.nodes({ swarm: subject.swarm });
      const node = subject.reach.nodeBackend({ swarm: subject.swarm, nodeId: subject.nodeId });
      return { node, list: await node.stackVolumes({ stack: 'st', epoch }) };
    };

    test("lists the stack's alone and removes with its ticket; gone is success", async () => {
      await using subject = await create();
      const { node, list } = await listed(subject);
      expect(list.volumes.map((volume) => volume.name).sort()).toEqual(['st_busy', 'st_data']);
      const request = { stack: 'st', volume: 'st_data', ticket: list.ticket, epoch: 5 };
      expect(await node.removeVolume(request)).toEqual({ removed: true });
      expect(await node.removeVolume(request)).toEqual({ removed: false });
    });

    test('a volume in use can be told from other failures', async () => {
      await using subject = await create();
      const { node, list } = await listed(subject);
      await expect(node.removeVolume({ stack: 'st', volume: 'st_busy', ticket: list.ticket, epoch: 5 })).rejects.toMatchObject({
        code: 'swarm/in-use',
      });
    });

    test("another stack's volume is not removed", async () => {
      await using subject = await create();
      const { node, list } = await listed(subject);
      expect(await node.removeVolume({ stack: 'st', volume: 'other_data', ticket: list.ticket, epoch: 5 })).toEqual({ removed: false });
      expect((await node.stackVolumes({ stack: 'other', epoch: 5 })).volumes).toHaveLength(1);
    });

    test('a ticket serves its own stack and epoch, and for its time alone', async () => {
      await using subject = await create();
      const { node, list } = await listed(subject);
      const request = { stack: 'st', volume: 'st_data', ticket: list.ticket, epoch: 5 };
      await expect(node.removeVolume({ ...request, ticket: 'made-up' })).rejects.toMatchObject({ code: 'node/ticket' });
      await expect(node.removeVolume({ ...request, stack: 'other' })).rejects.toMatchObject({ code: 'node/ticket' });
      await subject.expireTickets();
      await expect(node.removeVolume(request)).rejects.toMatchObject({ code: 'node/ticket' });
    });

    test('an epoch lower than one seen is refused', async () => {
      await using subject = await create();
      const { node, list } = await listed(subject);
      await node.stackVolumes({ stack: 'st', epoch: 6 });
      await expect(node.stackVolumes({ stack: 'st', epoch: 5 })).rejects.toMatchObject({ code: 'node/stale-epoch' });
      const request = { stack: 'st', volume: 'st_data', ticket: list.ticket, epoch: 5 };
      await expect(node.removeVolume(request)).rejects.toMatchObject({ code: 'node/stale-epoch' });
    });
  });
}
