import { existsSync } from 'node:fs';
import { HivekeepError } from '@hivekeep/contracts';

/** The bundles that lie beside the command, each with all it needs in one file. */
export type BundleName = 'up' | 'source' | 'reconciler' | 'node-agent' | 'gateway' | 'demo' | 'deploy' | 'chart' | 'eval';

/** Loads a bundle when it is needed. There is none beside the source: Node.js runs no decorators from there. */
export async function loadBundle(name: BundleName): Promise<unknown> {
  const url = new URL(`./${name}.js`, import.meta.url);
  if (existsSync(url)) return import(url.href);
  throw new HivekeepError('internal', `${url.pathname} is missing: start the built command (./hivekeep), or build it with 'pnpm bundle'`);
}
