import { labels as objectLabels } from '@hivekeep/application';
import type { Labels } from '@hivekeep/compose';
import { type ControllerState, controllerStateLabels } from './controller-state.ts';

/** What a lease is bound to: another controller's, swarm's or app set's lease is never taken. */
export interface LeaseBinding {
  readonly controllerId: string;
  readonly swarm: string;
  readonly home: boolean;
  /** Where the app set comes from: mode, URL and path. */
  readonly appSet: string;
}

/** The lease as one read saw it. */
export interface LeaseRecord {
  readonly id: string;
  readonly name: string;
  /** The version index that the next swap assumes. */
  readonly version: number;
  readonly labels: Labels;
  /** Empty when the lease is vacant. */
  readonly holder: string;
  readonly epoch: number;
  readonly binding: LeaseBinding;
}

/** The record with its state decoded. */
export type LeaseState = LeaseRecord & { readonly state: ControllerState };

export const leaseLabels = {
  holder: 'com.hivekeep.lease.holder',
  epoch: 'com.hivekeep.lease.epoch',
  controllerId: 'com.hivekeep.lease.controller',
  swarm: 'com.hivekeep.lease.swarm',
  home: 'com.hivekeep.lease.home',
  appSet: 'com.hivekeep.lease.appset',
} as const;

export function leaseRecord(config: { id: string; name: string; version: number; labels: Labels }): LeaseRecord {
  const label = (key: keyof typeof leaseLabels) => config.labels[leaseLabels[key]] ?? '';
  return {
    ...config,
    holder: label('holder'),
    epoch: Number(label('epoch')) || 0,
    binding: { controllerId: label('controllerId'), swarm: label('swarm'), home: label('home') === 'true', appSet: label('appSet') },
  };
}

/** @throws HivekeepError `swarm/invalid` when a state label can't be read */
export function leaseState(record: LeaseRecord): LeaseState {
  return { ...record, state: controllerStateLabels.read(record.labels) };
}

/** The labels after `holder` has taken the lease; `holder` empty gives it up. Labels of others stay. */
export function heldBy(labels: Labels, holder: string, epoch: number, binding: LeaseBinding): Labels {
  return {
    ...labels,
    [objectLabels.type]: 'lease',
    [leaseLabels.holder]: holder,
    [leaseLabels.epoch]: String(epoch),
    [leaseLabels.controllerId]: binding.controllerId,
    [leaseLabels.swarm]: binding.swarm,
    [leaseLabels.home]: String(binding.home),
    [leaseLabels.appSet]: binding.appSet,
  };
}

/** Each member of the binding in which a lease differs from what this process runs with, in words. */
export function bindingDifferences(found: LeaseBinding, wanted: LeaseBinding): string[] {
  const members = ['controllerId', 'swarm', 'home', 'appSet'] as const;
  return members
    .filter((member) => found[member] !== wanted[member])
    .map((member) => `${member}: the lease has ${JSON.stringify(found[member])}, this process ${JSON.stringify(wanted[member])}`);
}
