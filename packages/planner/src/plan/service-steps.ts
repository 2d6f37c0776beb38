import type { ServiceSpec } from '@hivekeep/compose';
import { isNativeJob, modeName } from '../health/service-tasks.ts';
import { STACK_LABEL } from '../labels.ts';
import type { LiveService } from '../live.ts';
import { sameImage } from '../spec/image-reference.ts';
import { specChanges } from '../spec/spec-changes.ts';
import { writtenLabels } from './object-labels.ts';
import { openIntents } from './open-intents.ts';
import { joined, type PlanDraft, refuse, step, warn } from './plan-draft.ts';
import type { ReleaseInput } from './release-input.ts';

/**
 * The wanted spec as it is written over a live one: the force counter is kept, so that nothing restarts for it, and the digest of a live
 * image that is the wanted one stays, so that no registry is asked.
 */
function overLive(wanted: ServiceSpec, live: ServiceSpec): ServiceSpec {
  const template = wanted.TaskTemplate;
  const liveImage = live.TaskTemplate.ContainerSpec?.Image;
  const container = template.ContainerSpec;
  const keepImage = container && liveImage !== undefined && sameImage(container.Image, liveImage);
  return {
    ...wanted,
    TaskTemplate: {
      ...template,
      ForceUpdate: live.TaskTemplate.ForceUpdate ?? 0,
      ...(keepImage && { ContainerSpec: { ...container, Image: liveImage } }),
    },
  };
}

function planUpdate(wanted: ServiceSpec, live: LiveService, wave: number, input: ReleaseInput): PlanDraft {
  const [from, to] = [modeName(live.spec.Mode), modeName(wanted.Mode)];
  if (from !== to) {
    return refuse(
      'service-mode',
      `services.${wanted.Name}.deploy.mode`,
      `service ${wanted.Name} is ${from}, wanted ${to}: a swarm cannot change that in place; remove the service first, or give the new one another name`,
    );
  }
  const changes = specChanges(wanted, live.spec, { ...input.index, apiVersion: input.apiVersion });
  const dropped = warn(
    ...changes.unsupported.map((field) => `service ${wanted.Name}: this engine (API ${input.apiVersion}) drops ${field}`),
  );
  const hung = changes.fields.length === 0 ? mayStillBeWritten(live, input) : undefined;
  if (changes.fields.length === 0 && hung === undefined) return dropped;
  const spec = hung === undefined ? overLive(wanted, live.spec) : live.spec;
  const update = step({
    kind: 'service',
    action: 'update',
    name: wanted.Name,
    wave,
    id: live.id,
    version: live.version,
    spec: { ...spec, Labels: writtenLabels(spec.Labels, input) },
    liveSpec: live.spec,
    restarts: changes.restarts,
    reasons: hung === undefined ? changes.fields : [hung],
  });
  return joined([dropped, update]);
}

/**
 * Why a service is written that is equal: a revision that was begun names it, and it stands as it did before that. A write of it that hung
 * would land over what is found equal now, and nobody would plan it again; written anew, the service has moved past the index that the
 * write assumes. The spec goes back as it was read, so that no task restarts. A job would run again: it is left.
 */
function mayStillBeWritten({ version, spec }: LiveService, input: ReleaseInput): string | undefined {
  if (isNativeJob(modeName(spec.Mode))) return undefined;
  const begun = openIntents(input).find((intent) => intent.version > version && intent.names.services.includes(spec.Name));
  return begun && `a write of revision ${begun.revision} may still be under way`;
}

function planService(wanted: ServiceSpec, wave: number, input: ReleaseInput): PlanDraft {
  const live = input.index.serviceByName.get(wanted.Name);
  if (!live) {
    const spec = { ...wanted, Labels: writtenLabels(wanted.Labels, input) };
    return step({ kind: 'service', action: 'create', name: wanted.Name, wave, spec, reasons: ['missing'] });
  }
  const stack = live.spec.Labels?.[STACK_LABEL];
  if (stack !== input.release.name) {
    const whose = stack === undefined ? 'without a stack label' : `of the stack ${stack}`;
    return refuse(
      'service-taken',
      `services.${wanted.Name}`,
      `a service named ${wanted.Name} exists already, ${whose}; remove it, or rename the release`,
    );
  }
  return planUpdate(wanted, live, wave, input);
}

/**
 * Creates or updates services in the order of wave and name. One whose spec is equal is not written, but for one that a hung write may
 * still change. Nothing is ever removed.
 */
export function planServices(input: ReleaseInput): PlanDraft {
  const { services, waves } = input.objects;
  const ordered = services
    .map((service) => ({ service, wave: waves[service.Name] ?? 0 }))
    .sort((a, b) => a.wave - b.wave || (a.service.Name < b.service.Name ? -1 : 1));
  return joined(ordered.map(({ service, wave }) => planService(service, wave, input)));
}
