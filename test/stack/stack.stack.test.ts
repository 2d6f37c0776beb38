import { useLab } from '@hivekeep/testkit';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { manyApplications } from './suites/many-applications.ts';
import { nodeFaults } from './suites/node-faults.ts';
import { restore } from './suites/restore.ts';
import { rollingUpdate } from './suites/rolling-update.ts';
import { scenario } from './suites/scenario.ts';
import { serviceFaults } from './suites/service-faults.ts';
import { threeNats } from './suites/three-nats.ts';
import { twoSwarms } from './suites/two-swarms.ts';
import { type Installation, installation } from './support/installation.ts';
import { postMortem } from './support/post-mortem.ts';

const long = process.env.HIVEKEEP_TEST_LONG === '1';

/** One deployment for all of it: the suites build on each other, in this order. */
describe('the services as a stack on three managers and two workers', () => {
  let hive: Installation;
  beforeAll(async () => {
    hive = await installation(await useLab({ nodes: 5, managers: 3 }));
  });
  beforeEach(({ onTestFailed }) => onTestFailed(async () => console.error(await postMortem(hive.lab))));
  afterAll(() => hive?.[Symbol.asyncDispose]());

  describe('does its job', () => scenario(() => hive));
  describe('gives way to its next version', () => rollingUpdate(() => hive));
  describe('survives its nodes', () => nodeFaults(() => hive));
  describe('serves another swarm', () => twoSwarms(() => hive));
  // these last: their many applications leave all at once, which waits for a person
  describe('keeps its word while something breaks', () => serviceFaults(() => hive));
  if (long) describe('is lost but for its folder', () => restore(() => hive));
  if (long) describe('carries many applications', () => manyApplications(() => hive));
});

if (long) describe('the services with three NATS servers', threeNats);
