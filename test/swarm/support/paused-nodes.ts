import type { Lab } from '@hivekeep/testkit';

/** `await using _ = await pauseNodes(lab)`: no node takes new tasks in this scope. */
export async function pauseNodes(lab: Lab): Promise<AsyncDisposable> {
  await setAvailability(lab, 'pause');
  return { [Symbol.asyncDispose]: () => setAvailability(lab, 'active') };
}

async function setAvailability(lab: Lab, availability: 'active' | 'pause'): Promise<void> {
  const { docker } = lab.node(1);
  for (const { ID, Version, Spec } of await docker.listNodes())
    await docker.getNode(ID).update({ _query: { version: Version.Index }, _body: { ...Spec, Availability: availability } });
}
