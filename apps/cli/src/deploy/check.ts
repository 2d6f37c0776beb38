import type { LiveNode, LiveService, LiveTask } from '@hivekeep/planner';
import type { Answers } from './answers.ts';

/** What a swarm has of an installation. */
export interface SwarmFacts {
  readonly nodes: readonly LiveNode[];
  /** Services of our stack. */
  readonly services: readonly LiveService[];
  readonly tasks: readonly LiveTask[];
  /** Names of the swarm's secrets and configs. */
  readonly objects: ReadonlySet<string>;
}

/** What the folder says there must be: names of services, and of secrets and configs. */
export interface Wanted {
  readonly services: readonly string[];
  readonly objects: readonly string[];
}

export interface Finding {
  readonly ok: boolean;
  readonly what: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** What is missing of an installation on a swarm, and what is well. Pure. */
export function checkInstallation(answers: Answers, wanted: Wanted, facts: SwarmFacts): Finding[] {
  const deploy = `docker stack deploy -c stack.yml ${answers.stack}`;
  return [
    ...labelledNodes(answers, facts.nodes),
    ...wanted.objects.filter((name) => !facts.objects.has(name)).map((name) => missing(`${name} is not on the swarm`, deploy)),
    ...wanted.services.map((name) => runs(`${answers.stack}_${name}`, facts, deploy)),
  ];
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
  const running = own.filter(({ state }) => state === 'running').length;
  const { Replicated: replicated } = service.spec.Mode ?? {};
  const expected = replicated ? (replicated.Replicas ?? 1) : own.length;
  if (running >= expected && expected > 0) return { ok: true, what: `${name}: ${running} of ${expected} running, ${nodes.length} nodes` };
  const why = own.find((task) => task.error)?.error;
  return missing(`${name}: ${running} of ${expected} running${why ? `: ${why}` : ''}`, `docker service ps --no-trunc ${name}`);
}

function missing(what: string, advice: string): Finding {
  return { ok: false, what, advice };
}
