import { defineConfig } from 'vitest/config';

/** `unit` needs nothing outside; `swarm` needs a lab of real engines and runs one file at a time. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{apps,packages}/*/src/**/*.test.ts', 'test/{boundaries,conformance}/**/*.test.ts'],
          isolate: false,
          maxWorkers: 2,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'swarm',
          include: ['test/swarm/**/*.swarm.test.ts'],
          isolate: false,
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
