import { HivekeepError, type Rpc, subjectOf } from '@hivekeep/contracts';

export interface ServiceIdentity {
  readonly swarm?: string | undefined;
  readonly node?: string | undefined;
}

/** The subject a service listens on: all swarms for a hub's, one for the others. Throws `internal` when the identity lacks what it takes. */
export function subscriptionSubject(contract: Rpc, { swarm, node }: ServiceIdentity): string {
  if (contract.scope === 'hub') return subjectOf(contract, { swarm: '*' });
  const missing = swarm === undefined ? 'swarm' : contract.scope === 'node' && node === undefined ? 'node' : undefined;
  if (missing) throw new HivekeepError('internal', `${contract.service}.${contract.verb} expects to know its ${missing}, found none`);
  return subjectOf(contract, { swarm: swarm ?? '', ...(node !== undefined && { node }) });
}
