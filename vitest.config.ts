import { defineConfig } from 'vitest/config';

const beside = '{apps,packages}/*/src/**';
const swarmFiles = (name: string) => [`${beside}/${name}.swarm.test.ts`, `test/swarm/**/${name}.swarm.test.ts`];

/**
 * The tiers that vitest runs, see docs/develop.md. `bus` needs nats-server and sshd; `swarm`, `swarm-faults` and `stack` need
 * a lab of real engines; files that pause, cut or drain its nodes run one at a time, on one lab after the others. Without isolation a file does not load Nest anew: 55 times faster.
 */
export default defineConfig({
  test: {
    isolate: false,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${beside}/*.test.ts`, 'test/stack/support/*.test.ts'],
          exclude: ['**/*.{bus,swarm}.test.ts', '**/node_modules/**'],
          testTimeout: 20_000,
        },
      },
      { extends: true, test: { name: 'boundaries', include: ['test/boundaries/*.test.ts'] } },
      { extends: true, test: { name: 'bus', include: [`${beside}/*.bus.test.ts`, 'test/stack/**/*.bus.test.ts'], testTimeout: 60_000 } },
      {
        extends: true,
        test: {
          name: 'model',
          include: ['test/model/*.test.ts'],
          setupFiles: ['test/model/rules.setup.ts'],
          testTimeout: 3_600_000,
        },
      },
      { extends: true, test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], testTimeout: 60_000 } },
      {
        extends: true,
        test: {
          name: 'swarm',
          include: swarmFiles('*'),
          exclude: [...swarmFiles('*.faults'), '**/node_modules/**'],
          maxWorkers: 2, // a corner each; one at a time they would mostly wait
          sequence: { groupOrder: 0 },
          maxConcurrency: 4,
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'swarm-faults',
          include: swarmFiles('*.faults'),
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['test/stack/**/*.stack.test.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
