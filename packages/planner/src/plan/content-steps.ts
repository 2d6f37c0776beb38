import { createHash } from 'node:crypto';
import type { ConfigSpec, SecretSpec } from '@hivekeep/compose';
import { SECRET_DIGEST_LABEL, STACK_LABEL } from '../labels.ts';
import type { LiveObject } from '../live.ts';
import { createdLabels, relabelled } from './object-labels.ts';
import { joined, type PlanDraft, refuse, step, warn } from './plan-draft.ts';
import type { ReleaseInput } from './release-input.ts';

type Kind = 'config' | 'secret';

/** An object under the wanted name that is not this stack's: used as it is when allowed, never relabelled. */
function foreign(kind: Kind, live: LiveObject, input: ReleaseInput): PlanDraft | undefined {
  const stack = live.labels[STACK_LABEL];
  if (stack === input.release.name) return undefined;
  const allowed = (kind === 'config' ? input.allow.configs : input.allow.secrets) ?? [];
  const whose = stack === undefined ? 'made by hand' : `of the stack ${stack}`;
  if (allowed.includes(live.name) || (stack === undefined && live.name.startsWith(`${input.release.name}_`))) {
    return warn(`${kind} ${live.name} (${whose}) is used as it is; it stays its maker's, and removing this release leaves it`);
  }
  const field = kind === 'config' ? 'allow.configs' : 'allow.secrets';
  return refuse(
    'object-taken',
    `${kind}s.${live.name}`,
    `${kind} ${live.name} exists already, ${whose}; choose another name, or add it to ${field} of the application`,
  );
}

function relabel(kind: Kind, wanted: ConfigSpec | SecretSpec, live: LiveObject, input: ReleaseInput): PlanDraft {
  const labels = relabelled(wanted.Labels, live.labels, input);
  if (labels === undefined) return warn();
  return step({ kind, action: 'relabel', name: live.name, id: live.id, version: live.version, labels, reasons: ['labels'] });
}

function sha256(base64: string | undefined): string {
  return createHash('sha256')
    .update(base64 ?? '', 'base64')
    .digest('hex');
}

function configDiffers(wanted: ConfigSpec, live: LiveObject): string | undefined {
  if (live.dataHash !== undefined && live.dataHash !== sha256(wanted.Data)) return 'its data';
  return (wanted.Templating?.Name ?? '') === (live.templating ?? '') ? undefined : 'its template driver';
}

function planConfig(wanted: ConfigSpec, input: ReleaseInput): PlanDraft {
  const live = input.index.configByName.get(wanted.Name);
  if (!live) {
    const spec = { ...wanted, Labels: createdLabels(wanted.Labels, input) };
    return step({ kind: 'config', action: 'create', name: wanted.Name, spec, reasons: ['missing'] });
  }
  const differs = configDiffers(wanted, live);
  if (differs !== undefined) {
    const remedy = 'a config cannot be changed: leave out `name:`, so that the name follows the content, or give it a new one';
    return refuse('config-content', `configs.${wanted.Name}`, `config ${wanted.Name} exists with other content (${differs}); ${remedy}`);
  }
  return foreign('config', live, input) ?? relabel('config', wanted, live, input);
}

function existingSecret(wanted: SecretSpec, live: LiveObject, digest: string | undefined, input: ReleaseInput): PlanDraft {
  const stored = live.labels[SECRET_DIGEST_LABEL];
  if (digest !== undefined && stored !== undefined && stored !== digest) {
    const remedy = 'a secret cannot be changed: leave out `name:`, so that the name follows the content, or give it a new one';
    return refuse('secret-content', `secrets.${wanted.Name}`, `secret ${wanted.Name} exists with other content; ${remedy}`);
  }
  const other = foreign('secret', live, input);
  if (other) return other;
  const unproved = digest !== undefined && stored === undefined;
  const unknown = unproved
    ? warn(`secret ${wanted.Name} is used as it is: no label of ours says what it holds, and it cannot be read back`)
    : warn();
  return joined([unknown, relabel('secret', wanted, live, input)]);
}

function planSecret(wanted: SecretSpec, input: ReleaseInput): PlanDraft {
  const digest = input.release.secrets.find((secret) => secret.name === wanted.Name)?.digest;
  const live = input.index.secretByName.get(wanted.Name);
  if (live) return existingSecret(wanted, live, digest, input);
  const needsContent = wanted.Data === undefined && !wanted.Driver?.Name;
  if (needsContent && !input.secretsAvailable.has(wanted.Name)) {
    return refuse(
      'secret-missing',
      `secrets.${wanted.Name}`,
      `secret ${wanted.Name} does not exist, and its content is neither in the source nor in a record; create it, or declare it external`,
    );
  }
  const labels = { ...createdLabels(wanted.Labels, input), ...(digest !== undefined && { [SECRET_DIGEST_LABEL]: digest }) };
  return step({
    kind: 'secret',
    action: 'create',
    name: wanted.Name,
    spec: { ...wanted, Labels: labels },
    needsContent,
    reasons: ['missing'],
  });
}

function checkExternals(kind: Kind, names: readonly string[], exists: (name: string) => boolean): PlanDraft[] {
  return names
    .filter((name) => !exists(name))
    .map((name) =>
      refuse(
        'external-missing',
        `${kind}s.${name}`,
        `external ${kind} ${name} does not exist; create it: docker ${kind} create ${name} FILE`,
      ),
    );
}

/**
 * Creates missing secrets, then configs. What exists with the same content is used; with other content it is refused, since neither can
 * be changed. Only labels of this stack's own objects are ever rewritten. Creation carries the digest of a secret's content in a label.
 */
export function planContents(input: ReleaseInput): PlanDraft {
  const { externals, secrets, configs } = input.objects;
  return joined([
    ...checkExternals('secret', externals.secrets, (name) => input.index.secretByName.has(name)),
    ...checkExternals('config', externals.configs, (name) => input.index.configByName.has(name)),
    ...secrets.map((secret) => planSecret(secret, input)),
    ...configs.map((config) => planConfig(config, input)),
  ]);
}
