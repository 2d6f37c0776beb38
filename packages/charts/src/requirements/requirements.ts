import type { Requirements } from '@hivekeep/contracts';

export type { Requirements } from '@hivekeep/contracts';
export type RequiredObject = Requirements['secrets'][number];
export type RequiredNetwork = Requirements['networks'][number];
