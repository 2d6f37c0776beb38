import { HivekeepError, type Issue } from '@hivekeep/contracts';
import type { LoadInput, StackObjects } from '../api.ts';
import { deploy, type Files } from './memory-stack.ts';

type Options = Partial<LoadInput>;

/** What the stack `demo` of `compose.yml` becomes in the dialect `spec`, by way of its manifest. */
export function deploySpec(files: Files, options: Options = {}): Promise<StackObjects> {
  return deploy(files, { files: ['compose.yml'], dialect: 'spec', ...options });
}

/** What one file becomes, and its service `web` as it is sent. */
export async function deployWeb(file: string, options: Options = {}, more: Files = {}) {
  const objects = await deploySpec({ 'compose.yml': file, ...more }, options);
  const service = objects.services.find(({ Name }) => Name === 'demo_web');
  return { ...objects, service, container: service?.TaskTemplate.ContainerSpec };
}

/** Why files are refused; empty when they are not. */
export async function issuesOf(files: Files, options: Options = {}): Promise<readonly Issue[]> {
  const error = await deploySpec(files, options).catch((thrown: unknown) => thrown);
  return HivekeepError.is(error, 'compose/invalid', 'compose/unsupported') ? (error.issues ?? []) : [];
}
