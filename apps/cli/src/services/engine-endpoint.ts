import { type DockerEndpoint, dockerEndpoint } from '@hivekeep/swarm';

/** The engine of a `DOCKER_HOST`-like address, else of the environment's own, with the certificates of `DOCKER_CERT_PATH`. */
export function endpointOf(address: string | undefined): DockerEndpoint {
  return dockerEndpoint(address ?? process.env.DOCKER_HOST, process.env.DOCKER_CERT_PATH);
}
