import { type Lab, type LabNode, run } from '@hivekeep/testkit';

const OURS = 'label=com.docker.stack.namespace=hivekeep';

/** What each node says of the swarm, and of our containers on it with their last words: for a test that failed, before its lab goes. */
export async function postMortem(lab: Lab): Promise<string> {
  const said: string[] = [];
  const ask = async (node: LabNode, command: string) => {
    const env = { PATH: process.env.PATH, DOCKER_HOST: `unix://${node.socket}` };
    const answer = await run('sh', ['-c', `${command} 2>&1 || :`], { env, timeoutMs: 10_000 }).catch(String); // its engine may stand still
    said.push(`${node.name}$ ${command}\n${answer}`);
  };
  for (const node of lab.managers) await ask(node, 'docker node ls');
  await ask(lab.node(1), 'docker stack ps hivekeep --no-trunc');
  const each =
    'docker inspect --format "{{.Name}} {{json .State}} {{json .NetworkSettings.Networks}}" $id; docker logs --tail 25 --timestamps $id';
  for (const node of lab.nodes) await ask(node, `for id in $(docker ps --all --last 12 --filter ${OURS} --quiet); do ${each}; done`);
  return said.join('\n');
}
