import { eventually, type Lab, useLab } from '@hivekeep/testkit';

/** A lab of three managers that is the bench's alone. */
export async function benchSwarm(): Promise<Lab> {
  const lab = await useLab({ nodes: 3, managers: 3 });
  await emptied(lab);
  return lab;
}

const own = (name: string | undefined) => name !== undefined && name !== 'ingress';

/** Takes every object of the swarm away, so that each figure begins with an empty one. */
export async function emptied(lab: Lab): Promise<void> {
  const { docker } = lab.node(1);
  for (const { ID } of await docker.listServices()) await docker.getService(ID).remove();
  for (const { ID } of await docker.listConfigs()) await docker.getConfig(ID).remove();
  for (const { ID } of await docker.listSecrets()) await docker.getSecret(ID).remove();
  const networks = async () =>
    (await docker.listNetworks({ filters: { scope: ['swarm'] } })).filter(({ Name }: { Name: string }) => own(Name));
  await eventually(
    async () => {
      for (const { Id } of await networks())
        await docker
          .getNetwork(Id)
          .remove()
          .catch(() => undefined);
      return (await networks()).length === 0;
    },
    { timeoutMs: 60_000 },
  );
}
