const HOST_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = `(?:${HOST_PART}(?:\\.${HOST_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const PATH_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(${HOST})/(${PATH_PART}(?:/${PATH_PART})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`);
/** A repository of 255, a tag and a digest, with room for the host. */
const MAX_LENGTH = 1000;
const IMAGE_ID = /^[a-f0-9]{64}$/;
const DIGESTS = [/^sha256:[a-f0-9]{64}$/, /^sha384:[a-f0-9]{96}$/, /^sha512:[a-f0-9]{128}$/];

export interface ImageReference {
  readonly host: string;
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** An image with its default host and `library/` filled in, or why it is none. Source: distribution `reference`. */
export function parseImage(image: string): ImageReference | { readonly error: string } {
  if (image.length > MAX_LENGTH) return { error: `more than ${MAX_LENGTH} characters` };
  if (IMAGE_ID.test(image)) return { error: 'an image id where a name is expected' };
  const { host, rest } = splitHost(image);
  const [repository = ''] = rest.split(':');
  if (repository !== repository.toLowerCase()) return { error: `the repository name ${JSON.stringify(repository)} must be lowercase` };
  const match = REFERENCE.exec(`${host}/${rest}`);
  const [, parsedHost, path, tag, digest] = match ?? [];
  if (parsedHost === undefined || path === undefined) return { error: 'expected [host[:port]/]name[:tag][@digest]' };
  if (path.length > 255) return { error: 'the repository name has more than 255 characters' };
  if (digest !== undefined && !DIGESTS.some((form) => form.test(digest)))
    return { error: `${digest} is no sha256, sha384 or sha512 digest` };
  return { host: parsedHost, path, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}

/** Why an image of a compose file cannot be used; undefined when it can. Ids and bare digests pass. */
export function imageProblem(image: string | undefined): string | undefined {
  if (image === undefined || image === '') return 'no image is given; swarm runs images, it does not build them';
  if (IMAGE_ID.test(image) || DIGESTS.some((form) => form.test(image))) return undefined;
  const parsed = parseImage(image);
  return 'error' in parsed ? `${JSON.stringify(image.slice(0, MAX_LENGTH))} is no image: ${parsed.error}` : undefined;
}

/** The image as the docker CLI sends it: without the default host and `library/`, `:latest` when it has neither tag nor digest. */
export function imageToSend(image: string): string {
  const parsed = parseImage(image);
  if ('error' in parsed) return image;
  const { host, path, tag, digest } = parsed;
  const short = host === 'docker.io' ? path.replace(/^library\/(?=[^/]+$)/, '') : `${host}/${path}`;
  const tagged = tag !== undefined ? `${short}:${tag}` : digest === undefined ? `${short}:latest` : short;
  return digest === undefined ? tagged : `${tagged}@${digest}`;
}

function splitHost(image: string): { host: string; rest: string } {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(0, slash));
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const named = isHost ? first : 'docker.io';
  const rest = isHost ? image.slice(slash + 1) : image;
  const host = named === 'index.docker.io' ? 'docker.io' : named;
  return { host, rest: host === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest };
}
