import { join } from 'node:path';
import { checkout } from '../checkout.ts';
import type { Demo } from './demo.ts';
import { stackOf } from './demo-files.ts';

/** What the demo invites to: each line works as it is printed, in another terminal. */
export function thingsToTry({ controller, repository, swarm }: Pick<Demo, 'controller' | 'repository' | 'swarm'>): string {
  const [manager] = swarm.nodes;
  return `
The API is at ${controller.server}, its token in ${controller.tokenFile}, the log in ${controller.logFile}.
Four things to try, in another terminal, after these two lines:

  export HIVEKEEP_SERVER=${controller.server} HIVEKEEP_TOKEN_FILE=${controller.tokenFile}
  export DOCKER_HOST=${manager?.dockerHost} PATH=${checkout}:$PATH; cd ${repository.path}

1. Commit a change and see it roll out, within some 10 s:

  echo '<h1>Good morning</h1>' > web/index.html && git commit -qam 'Say good morning'
  hivekeep events          (Ctrl-C ends it)

2. Change a value of a chart, and see what it renders to and that it rolls out:

  sed -i 's/replicas: 1/replicas: 2/' greeter/values.yaml && git commit -qam 'Greet twice'
  hivekeep chart template charts/greeter --release ${stackOf('greeter')} -f greeter/values.yaml
  hivekeep app get greeter

3. Scale a service by hand and see it reported, and left as it is:

  docker service scale -d ${stackOf('web')}_page=4
  hivekeep app get web

4. Remove an application and see its stack and its volumes on all nodes go, within half a minute:

  sed -i '/name: notes/,$d' ${join(repository.path, 'applications.yaml')} && git commit -qam 'Remove notes'
  hivekeep prune list; hivekeep status
${swarm.nodes.map(({ dockerHost }) => `  docker -H ${dockerHost} volume ls -q\n`).join('')}
Ctrl-C ends the demo and takes everything away again.
`;
}
