import { labels } from '@hivekeep/application';
import type { PortConfig, ServiceSpec } from '@hivekeep/compose';
import type { Issue } from '@hivekeep/contracts';
import { type PolicyInput, refusal, servicePath } from './policy-input.ts';

/** `8080/tcp` of a port that the whole swarm publishes; undefined for ports of single nodes and those the swarm chooses. */
function ingressPort({ PublishedPort, PublishMode, Protocol }: PortConfig): string | undefined {
  if (!PublishedPort || (PublishMode ?? 'ingress') !== 'ingress') return undefined;
  return `${PublishedPort}/${Protocol || 'tcp'}`;
}

function ingressPorts(spec: ServiceSpec): string[] {
  return (spec.EndpointSpec?.Ports ?? []).flatMap((port) => ingressPort(port) ?? []);
}

/**
 * Refuses two services on one ingress port, of this release or of another one that runs. An engine refuses the second itself, but
 * half way through an apply, and not at all when both are created at once (Engine 28.5).
 */
export function checkPorts({ stack, objects, index }: Pick<PolicyInput, 'stack' | 'objects' | 'index'>): Issue[] {
  const taken = new Map<string, string>();
  for (const { spec } of index.snapshot.services) {
    if (spec.Labels?.[labels.stack] === stack) continue;
    for (const port of ingressPorts(spec)) taken.set(port, spec.Name);
  }
  const issues: Issue[] = [];
  for (const service of objects.services) {
    for (const port of ingressPorts(service)) {
      const holder = taken.get(port);
      if (holder === undefined) taken.set(port, service.Name);
      else if (holder !== service.Name)
        issues.push(
          refusal('port', servicePath(service.Name), `the port ${port} is published by the service ${holder} already; choose another one`),
        );
    }
  }
  return issues;
}
