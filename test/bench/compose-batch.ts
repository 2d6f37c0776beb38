import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readBatchCase } from '@hivekeep/compose';
import { type RecordedCase, readCorpusCases, readPackedCases } from '@hivekeep/test-conformance';
import { findDockerCli, tempDir } from '@hivekeep/testkit';
import { atMost, type Figure, forTheRecord, median } from './figure.ts';
import { launcher } from './hivekeep-process.ts';

/** `docker stack config` starts a process for each case: every so many are enough for a median. */
const STRIDE = 8;
const run = promisify(execFile);

/**
 * (g): compose files to swarm objects. All recorded cases (those that HIVEKEEP_CORPUS names, else the project's own) by one
 * `compose convert --batch`, and by one `docker stack config` each, which merges and prints them without converting.
 */
export async function composeBatch(): Promise<Figure[]> {
  await using folder = await tempDir();
  await using out = await tempDir();
  const { HIVEKEEP_CORPUS: corpus } = process.env;
  const cases = corpus ? await readCorpusCases(corpus) : await readPackedCases('cases');
  const [first, ...rest] = await Promise.all(cases.map((recorded) => recorded.place(folder.path)));
  if (!first) return [];
  await run(launcher, ['version']); // builds
  const began = performance.now();
  await run(launcher, ['compose', 'convert', '--batch', dirname(first.folder), '--out', out.path]);
  const took = performance.now() - began;
  const written = (await readdir(out.path)).length;
  const note = `${written} cases in one process, its start included`;
  const goal = written === rest.length + 1 ? 15_000 : Number.NaN;
  return [
    atMost('g.compose.batch', took, goal, { unit: 'ms', note }),
    forTheRecord('g.compose.case', took / written, { unit: 'ms', note }),
    ...(await stackConfig(cases, folder.path)),
  ];
}

async function stackConfig(cases: readonly RecordedCase[], folder: string): Promise<Figure[]> {
  const program = await findDockerCli();
  if (program === undefined) return [];
  const times: number[] = [];
  for (const recorded of cases.filter((_, index) => index % STRIDE === 0)) {
    const batch = await recorded.place(folder);
    const { files, env } = await readBatchCase(batch);
    const args = ['--config', join(folder, 'none'), 'stack', 'config', ...files.flatMap((file) => ['-c', file])];
    const began = performance.now();
    const supported = await run(program, args, { cwd: batch.folder, env, timeout: 20_000 }).then(
      () => true,
      () => false,
    );
    if (supported) times.push(performance.now() - began);
  }
  return [
    forTheRecord('g.docker.case', median(times), { unit: 'ms', note: `docker stack config, median of the ${times.length} it supports` }),
  ];
}
