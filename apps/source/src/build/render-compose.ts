import { loadCompose, parseEnvFile, type RotatedStack, rotateNames, writeManifest } from '@hivekeep/compose';
import { type ComposeSource, HivekeepError, type ReleaseArtifact } from '@hivekeep/contracts';
import type { Tree } from '../seams/fetcher.ts';
import { refuseEncrypted } from './encrypted-content.ts';
import type { Rendered, RenderInput } from './rendered.ts';
import type { SecretDigests, SecretQuestion } from './secret-digests.ts';

/** Renders applications with a compose source. */
export class ComposeRenderer {
  readonly #digests: SecretDigests;

  constructor(digests: SecretDigests) {
    this.#digests = digests;
  }

  /**
   * Reads the files at the tree's commit and gives the one release they describe. Throws `compose/*`, what `Tree.read` throws, and
   * `source/unsupported` for encrypted files.
   */
  async render({ spec, swarm, tree }: RenderInput, compose: ComposeSource): Promise<Rendered> {
    const reader = { read: (path: string) => readPlain(tree, path) };
    const stack = compose.release ?? spec.name;
    const loaded = await loadCompose({
      files: compose.files,
      reader,
      env: await environmentOf(compose, tree),
      dialect: compose.dialect ?? 'auto',
      stack,
      ...(spec.strict !== undefined && { strict: spec.strict }),
    });
    const rotated = await this.#rotate(stack, swarm, (secretDigest) => rotateNames(loaded, { stack, secretDigest }));
    return { releases: [releaseOf(stack, rotated)], warnings: loaded.warnings, secretContents: rotated.secretContents };
  }

  /** Digests take long and the rotation is pure: the first run finds out which are needed, the second has them. */
  async #rotate(
    stack: string,
    swarm: string,
    run: (digest: (scopedName: string, content: Uint8Array) => string) => RotatedStack,
  ): Promise<RotatedStack> {
    const missing: SecretQuestion[] = [];
    const lookUp = (scopedName: string, content: Uint8Array): string => {
      const question = { destination: swarm, scopedName, content };
      const known = this.#digests.peek(question);
      if (known === undefined) missing.push(question);
      return known ?? '0'.repeat(64);
    };
    const first = run(lookUp);
    if (missing.length === 0) return first;
    await Promise.all(missing.splice(0).map((question) => this.#digests.compute(question)));
    const second = run(lookUp);
    if (missing.length > 0)
      throw new HivekeepError('internal', `the digests of ${missing.length} secrets of ${stack} were lost while it was rendered`);
    return second;
  }
}

/**
 * All that interpolation sees: the env files in their order, a later one wins, and `env` over all. A bare name, for which docker would
 * look into the environment of its own process, adds nothing.
 */
async function environmentOf(compose: ComposeSource, tree: Tree): Promise<Record<string, string>> {
  const known: Record<string, string> = Object.create(null);
  for (const path of compose.envFiles ?? []) {
    const lines = parseEnvFile(await readPlain(tree, path));
    if ('error' in lines) {
      const issue = { file: path, line: lines.line, message: lines.error };
      throw new HivekeepError('compose/invalid', `${path}:${lines.line}: ${lines.error}`, { issues: [issue] });
    }
    for (const [name, value] of lines) if (value !== null) known[name] = value;
  }
  return Object.assign(known, compose.env);
}

/** A file that is deployed as it is. Throws what `Tree.read` throws, and `source/unsupported` when it is encrypted. */
export async function readPlain(tree: Tree, path: string): Promise<Buffer> {
  const bytes = await tree.read(path);
  refuseEncrypted(path, bytes);
  return bytes;
}

/** Releases of compose sources are recorded as chart `compose`, version `0.0.0`. */
function releaseOf(stack: string, { manifest, files, secrets }: RotatedStack): ReleaseArtifact {
  return {
    name: stack,
    wave: 0,
    chart: { name: 'compose', version: '0.0.0', ref: 'compose' },
    values: {},
    manifest: writeManifest(manifest),
    files,
    secrets,
  };
}
