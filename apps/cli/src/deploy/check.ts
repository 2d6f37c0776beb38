import { admitsNode, type LiveNode, type LiveService, type LiveTask } from '@hivekeep/planner';
import type { Answers } from './answers.ts';
import type { Wanted } from './wanted.ts';

/** What a swarm has of an installation. */
export interface SwarmFacts {
  readonly nodes: readonly LiveNode[];
  /** Services of our stack. */
  readonly services: readonly LiveService[];
  readonly tasks: readonly LiveTask[];
  /** Names of the swarm's secrets and configs. */
  readonly objects: ReadonlySet<string>;
}

/** What the files of a folder declare. */
export interface FolderFiles {
  readonly stack: Wanted;
  /** By file name; which of them are deployed only the swarm tells. */
  readonly overlays: Readonly<Record<string, Wanted>>;
}

export interface Finding {
  readonly ok: boolean;
  /** Well as yet, and about to be not. */
  readonly warning?: boolean;
  readonly what: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** What is missing of an installation on a swarm, and what is well. Pure. */
export function checkInstallation(answers: Answers, { stack, overlays }: FolderFiles, facts: SwarmFacts): Finding[] {
  const used = Object.entries(overlays).filter(([, overlay]) => isUsed(overlay, answers, facts));
  const files = ['stack.yml', ...used.map(([file]) => file)];
  const deploy = `docker stack deploy ${files.map((file) => `-c ${file}`).join(' ')} ${answers.stack}`;
  const objects = [stack, ...used.map(([, overlay]) => overlay)].flatMap((wanted) => wanted.objects);
  return [
    ...labelledNodes(answers, facts.nodes),
    ...objects.filter((name) => !facts.objects.has(name)).map((name) => missing(`${name} is not on the swarm`, deploy)),
    ...stack.services.map((name) => runs(`${answers.stack}_${name}`, facts, deploy)),
    ...used.flatMap(([, { ports }]) => ports.flatMap(({ service, port }) => published(`${answers.stack}_${service}`, port, facts, deploy))),
  ];
}

/** Whether an overlay is, or was, deployed: nothing but overlays publishes a port, or has these objects. */
function isUsed({ objects, ports }: Wanted, { stack }: Answers, facts: SwarmFacts): boolean {
  return (
    objects.some((name) => facts.objects.has(name)) ||
    ports.some(({ service }) => portsOf(`${stack}_${service}`, facts.services).length > 0)
  );
}

function portsOf(name: string, services: readonly LiveService[]): (number | undefined)[] {
  const ports = services.find(({ spec }) => spec.Name === name)?.spec.EndpointSpec?.Ports ?? [];
  return ports.map(({ PublishedPort: port }) => port);
}

function published(name: string, port: number, { services }: SwarmFacts, deploy: string): Finding[] {
  return portsOf(name, services).includes(port) ? [] : [missing(`${name} does not publish port ${port}`, deploy)];
}

function labelledNodes({ natsLabel, natsNodes }: Answers, nodes: readonly LiveNode[]): Finding[] {
  const labelled = nodes.filter(({ labels }) => labels[natsLabel] === 'true');
  const names = labelled.map(({ hostname }) => hostname).join(', ') || 'none';
  const advice = `docker node update --label-add ${natsLabel}=true NODE, on ${natsNodes} node${natsNodes === 1 ? '' : 's'} in all`;
  if (labelled.length !== natsNodes)
    return [missing(`expected ${natsNodes} node with the label ${natsLabel}=true, found ${names}`, advice)];
  const away = labelled
    .filter(({ state }) => state !== 'ready')
    .map(({ hostname }) => missing(`${hostname}, which runs NATS, is not ready`, 'bring the node back'));
  return [{ ok: true, what: `NATS runs on ${names}` }, ...away];
}

function runs(name: string, { services, tasks, nodes }: SwarmFacts, deploy: string): Finding {
  const service = services.find(({ spec }) => spec.Name === name);
  if (!service) return missing(`service ${name} is not there`, deploy);
  const own = tasks.filter((task) => task.serviceId === service.id && task.desiredState === 'running');
  const running = own.filter(({ state }) => state === 'running');
  const lacking = nodesOf(service, nodes)?.filter(({ id }) => !running.some(({ nodeId }) => nodeId === id)) ?? [];
  const expected = nodesOf(service, nodes)?.length ?? service.spec.Mode.Replicated?.Replicas ?? 1;
  const told = `${name}: ${running.length} of ${expected} running`;
  if (running.length >= expected && lacking.length === 0 && expected > 0) return { ok: true, what: `${told}, ${nodes.length} nodes` };
  const where = lacking.length > 0 ? `, none on ${lacking.map(({ hostname }) => hostname).join(', ')}` : '';
  const why = own.find((task) => task.error)?.error;
  return missing(`${told}${where}${why ? `: ${why}` : ''}`, `docker service ps --no-trunc ${name}`);
}

/** The nodes that a global service has a task on: a paused one keeps those it has and gets none. Undefined for one with replicas. */
function nodesOf({ spec }: LiveService, nodes: readonly LiveNode[]): LiveNode[] | undefined {
  if (!spec.Mode.Global) return undefined;
  const constraints = spec.TaskTemplate.Placement?.Constraints ?? [];
  return nodes.filter((node) => node.state === 'ready' && node.availability === 'active' && admitsNode(node, constraints));
}

function missing(what: string, advice: string): Finding {
  return { ok: false, what, advice };
}
