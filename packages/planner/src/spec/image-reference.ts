const DEFAULT_REGISTRIES = ['docker.io/library/', 'index.docker.io/library/', 'docker.io/', 'index.docker.io/', 'library/'];

/** An image as the docker CLI writes it: the default registry left out, `:latest` added where there is neither tag nor digest. */
export function familiarImage(image: string): string {
  const prefix = DEFAULT_REGISTRIES.find((registry) => image.startsWith(registry));
  const name = prefix === undefined ? image : image.slice(prefix.length);
  const tagged = name.includes('@') || name.indexOf(':', name.lastIndexOf('/') + 1) >= 0;
  return tagged || name === '' ? name : `${name}:latest`;
}

/**
 * Whether a live image is the wanted one: equal as a whole, or once the digest that was resolved at the write is cut off.
 * A digest that is wanted must be there, and `nginx@sha256:…` alone is not `nginx`: nobody knows its tag.
 */
export function sameImage(wanted: string | undefined, live: string | undefined): boolean {
  if ((wanted ?? '') === (live ?? '')) return true;
  if (!wanted || !live) return false;
  const want = familiarImage(wanted);
  const have = familiarImage(live);
  if (want === have) return true;
  const at = have.indexOf('@');
  return at > 0 && want === have.slice(0, at);
}
