import type { Issue } from '@hivekeep/contracts';
import { apiMinor } from '../spec/api-level.ts';
import { type PolicyInput, refusal, servicePath } from './policy-input.ts';

const KIB = 1024;
/** swarmkit `api/validation`: secrets up to 500 KiB, configs up to 500 KiB and, from engine 25 on, 1000 KiB. */
const SECRET_BYTES = 500 * KIB;
const CONFIG_BYTES = { before: 500 * KIB, since44: 1000 * KIB };
/** A raft entry and a gRPC message end at 4 MiB and hold a service twice (spec and previous spec) beside its bookkeeping. */
const SERVICE_BYTES = 1024 * KIB;
const SERVICES = 2_000;

function decodedBytes(base64: string | undefined): number {
  return Math.floor(((base64 ?? '').replace(/=+$/, '').length * 3) / 4);
}

/** Refuses what the managers would refuse half way through an apply: too many services, too large a spec, config or secret. */
export function checkSizes({ objects }: Pick<PolicyInput, 'objects'>, apiVersion: string): Issue[] {
  const configLimit = apiMinor(apiVersion) >= 44 ? CONFIG_BYTES.since44 : CONFIG_BYTES.before;
  const tooLarge = (path: string, bytes: number, limit: number): Issue[] =>
    bytes <= limit
      ? []
      : [refusal('size', path, `${bytes} bytes are more than the ${limit} a swarm takes; split it, or put it into a volume`)];
  if (objects.services.length > SERVICES) {
    return [
      refusal('size', 'services', `${objects.services.length} services in one release are more than ${SERVICES}; split it into several`),
    ];
  }
  return [
    ...objects.configs.flatMap((config) => tooLarge(`configs.${config.Name}`, decodedBytes(config.Data), configLimit)),
    ...objects.secrets.flatMap((secret) => tooLarge(`secrets.${secret.Name}`, decodedBytes(secret.Data), SECRET_BYTES)),
    ...objects.services.flatMap((service) => tooLarge(servicePath(service.Name), JSON.stringify(service).length, SERVICE_BYTES)),
  ];
}
