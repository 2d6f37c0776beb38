import type { ConfigSpec, SecretSpec } from '../engine.ts';
import type { FileObject } from '../model.ts';
import { compareText } from '../order.ts';
import type { ConvertContext } from './context.ts';
import { scopedName, stackLabels } from './scope.ts';
import { nonEmpty } from './wire.ts';

/** Contents of the stack's own configs and secrets by object name, base64. */
export type Contents = Readonly<Record<string, string>>;

/** Every config of the stack that is not external, sorted by name. */
export function convertConfigs(context: ConvertContext, contents: Contents): ConfigSpec[] {
  return own(context.model.configs)
    .map(([key, config]) => ({ ...annotate(context, key, config, contents), ...templating(config) }))
    .sort(byName);
}

/** Every secret of the stack that is not external, sorted by name. A secret with a driver has no content. */
export function convertSecrets(context: ConvertContext, contents: Contents): SecretSpec[] {
  return own(context.model.secrets)
    .map(([key, secret]): SecretSpec => {
      const base = { ...annotate(context, key, secret, secret.driver ? {} : contents), ...templating(secret) };
      if (!secret.driver) return base;
      const options = nonEmpty(secret.driver_opts);
      return { ...base, Driver: { Name: secret.driver, ...(options && { Options: options }) } };
    })
    .sort(byName);
}

function own(objects: Record<string, FileObject>): [string, FileObject][] {
  return Object.entries(objects).filter(([, object]) => !object.external);
}

function annotate(
  context: ConvertContext,
  key: string,
  object: FileObject,
  contents: Contents,
): { Name: string; Labels: Record<string, string>; Data?: string } {
  const Name = scopedName(context.stack, key, object.name);
  const data = Object.hasOwn(contents, Name) ? contents[Name] : undefined;
  return { Name, Labels: stackLabels(context.stack, object.labels), ...(data && { Data: data }) };
}

function templating(object: FileObject): { Templating?: { Name: string } } {
  return object.template_driver ? { Templating: { Name: object.template_driver } } : {};
}

function byName(a: { Name: string }, b: { Name: string }): number {
  return compareText(a.Name, b.Name);
}
