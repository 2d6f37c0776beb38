import type { Backend, Capabilities, CapabilityName } from './backend.ts';

interface CapabilityRule {
  /** The method that shows it. */
  readonly method: string;
  /** What is lost without it. */
  readonly costs: string;
}

/** How each ability is found, and what is lost without it. */
export const capabilityRules: Readonly<Record<CapabilityName, CapabilityRule>> = {
  LiveDrift: { method: 'liveServices', costs: 'live drift is unknown; only changes in Git are seen' },
  DeclaredLister: { method: 'declared', costs: 'objects an upgrade dropped are not found' },
  ResourceLister: { method: 'resources', costs: 'dropped configs and secrets are neither reported nor removed' },
  ResourceRemover: { method: 'removeResource', costs: 'dropped objects are reported and never removed' },
  NetworkNamer: { method: 'networkNames', costs: 'networks that a service is attached to are not compared for drift' },
  StackServicesReader: { method: 'stackServices', costs: 'health is unknown' },
  StacksReader: { method: 'stacks', costs: 'a namespace used by somebody else is noticed only when a name collides' },
  SwarmSizer: { method: 'swarmNodes', costs: 'a removal of volumes never claims to have covered every node' },
  RegistryAuth: { method: 'withRegistryAuth', costs: 'images of private registries can not be pulled' },
  AllowedReferences: { method: 'withAllowed', costs: 'references outside the own stack are always refused' },
  ForbidSecrets: {
    method: 'withForbiddenSecrets',
    costs: "applications that mount secrets are refused: the controller's own can not be protected",
  },
  OutOfBand: { method: 'withOutOfBand', costs: 'writes by others during an apply are not reported' },
};

export interface CapabilityReport {
  readonly name: CapabilityName;
  readonly present: boolean;
  /** Only of a missing one. */
  readonly costs?: string;
}

/** Whether `backend` has the ability, asked at run time: a missing one costs its one feature. */
export function hasCapability<N extends CapabilityName>(backend: Backend, name: N): backend is Backend & Capabilities[N] {
  return typeof Reflect.get(backend, capabilityRules[name].method) === 'function';
}

/** Every optional ability, present or missing, and what a missing one costs. */
export function capabilitiesOf(backend: Backend): CapabilityReport[] {
  return (Object.keys(capabilityRules) as CapabilityName[]).map((name) => {
    const present = hasCapability(backend, name);
    return { name, present, ...(!present && { costs: capabilityRules[name].costs }) };
  });
}
