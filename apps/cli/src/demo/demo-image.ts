import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import type { DockerEndpoint } from '@hivekeep/swarm';
import { checkout } from '../checkout.ts';
import { DEMO_IMAGE } from './demo-chart.ts';
import { runProgram } from './run-program.ts';

const LOAD_MS = 60_000;

/** Makes the demo's image of this machine's static busybox, without a registry, and gives the archive's path. */
export async function buildDemoImage(folder: string): Promise<string> {
  const file = join(folder, 'image.tar');
  await runProgram(join(checkout, 'test/lab/busybox-image.sh'), [file, DEMO_IMAGE]);
  return file;
}

/** Loads an archive (`docker save`) into an engine. Source: Engine API 1.41, ImageLoad. Throws `swarm/*`. */
export async function loadImage(endpoint: DockerEndpoint, file: string): Promise<void> {
  if (endpoint.kind !== 'socket' && endpoint.tls)
    throw new HivekeepError('usage/invalid', 'the demo loads its image over a unix socket or plain tcp, found an engine behind TLS');
  const address = endpoint.kind === 'socket' ? { socketPath: endpoint.path } : { host: endpoint.host, port: endpoint.port };
  const headers = { 'content-type': 'application/x-tar' };
  const status = await new Promise<number>((resolve, reject) => {
    const call = request({ ...address, method: 'POST', path: '/images/load?quiet=1', headers, timeout: LOAD_MS }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    call.once('timeout', () =>
      call.destroy(new HivekeepError('swarm/timeout', `the engine took over ${LOAD_MS / 1000} s to load the image`)),
    );
    call.once('error', reject);
    createReadStream(file).once('error', reject).pipe(call);
  });
  if (status !== 200) throw new HivekeepError('swarm/invalid', `the engine did not load the demo's image (HTTP ${status})`);
}
