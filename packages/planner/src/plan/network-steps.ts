import { isComposeRelease } from '@hivekeep/charts';
import type { NetworkCreate } from '@hivekeep/compose';
import { STACK_LABEL } from '../labels.ts';
import type { LiveNetwork } from '../live.ts';
import { NODE_NETWORKS } from '../spec/reference-equality.ts';
import { writtenLabels } from './object-labels.ts';
import { joined, type PlanDraft, refuse, step, warn } from './plan-draft.ts';
import type { ReleaseInput } from './release-input.ts';

function describe(network: LiveNetwork): string {
  const stack = network.labels[STACK_LABEL];
  const whose = stack === undefined ? 'without a stack label' : `of the stack ${stack}`;
  return `a ${network.driver} network of scope ${network.scope} ${whose}`;
}

function differing(wanted: NetworkCreate, live: LiveNetwork): string[] {
  return [
    ...((wanted.Driver || 'overlay') === live.driver ? [] : [`driver ${live.driver}, wanted ${wanted.Driver || 'overlay'}`]),
    ...((wanted.Attachable ?? false) === live.attachable ? [] : [`attachable ${live.attachable}, wanted ${wanted.Attachable ?? false}`]),
    ...((wanted.Internal ?? false) === live.internal ? [] : [`internal ${live.internal}, wanted ${wanted.Internal ?? false}`]),
  ];
}

function planNetwork(wanted: NetworkCreate, input: ReleaseInput): PlanDraft {
  const named = input.index.networksByName.get(wanted.Name) ?? [];
  const ours = named.find((network) => network.labels[STACK_LABEL] === input.release.name);
  if (ours) {
    const differs = differing(wanted, ours);
    if (differs.length === 0) return warn();
    return warn(
      `network ${wanted.Name} is left as it is (${differs.join('; ')}): a network is never changed in place; remove the stack to have it made anew`,
    );
  }
  const [other] = named;
  if (other) {
    const remedy = 'declare it `external: true` and allow it, or remove or rename one of them';
    return refuse(
      'network-taken',
      `networks.${wanted.Name}`,
      `a network named ${wanted.Name} exists already: ${describe(other)}; ${remedy}`,
    );
  }
  const spec = { ...wanted, Driver: wanted.Driver || 'overlay', Labels: writtenLabels(wanted.Labels, input) };
  return step({ kind: 'network', action: 'create', name: wanted.Name, spec, reasons: ['missing'] });
}

function checkExternal(name: string, input: ReleaseInput): PlanDraft {
  if (NODE_NETWORKS.has(name)) return warn();
  const named = input.index.networksByName.get(name) ?? [];
  if (named.some((network) => network.scope === 'swarm')) return warn();
  const path = `networks.${name}`;
  if (named.length === 0) return missingExternal(name, input);
  return refuse(
    'external-scope',
    path,
    `external network ${name} exists on one node only (scope ${named[0]?.scope}); services need one of scope swarm`,
  );
}

/** A chart has external networks made, unless its requirements say otherwise; nothing ever removes them. */
function missingExternal(name: string, input: ReleaseInput): PlanDraft {
  const { chart, requirements } = input.release;
  const required = requirements?.networks.find((network) => network.name === name);
  const { driver = 'overlay', attachable = true, description } = required ?? {};
  if (isComposeRelease(chart) || (requirements && !required?.autoCreate)) {
    const what = description === undefined ? '' : ` (${description})`;
    const command = `docker network create --driver ${driver}${required && attachable ? ' --attachable' : ''} ${name}`;
    return refuse('external-missing', `networks.${name}`, `external network ${name}${what} does not exist; create it: ${command}`);
  }
  const spec = { Name: name, Driver: driver, Attachable: attachable, Labels: writtenLabels(undefined, input) };
  return step({ kind: 'network', action: 'create', name, spec, managed: true, reasons: ['external and missing'] });
}

/** Creates missing networks; existing ones are never changed. One that is taken by something else is refused. */
export function planNetworks(input: ReleaseInput): PlanDraft {
  return joined([
    ...input.objects.externals.networks.map((name) => checkExternal(name, input)),
    ...input.objects.networks.map((network) => planNetwork(network, input)),
  ]);
}
