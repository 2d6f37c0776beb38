import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rpc } from '@hivekeep/contracts';
import { type NatsServer, natsServer, tempDir } from '@hivekeep/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ServiceBus } from '../bus.ts';
import { OUTCOME_HEADER, OUTCOME_OK } from '../envelope.ts';
import { connectNatsBus } from './nats-bus.ts';

const ping = rpc({ service: 'source', verb: 'ping', scope: 'hub', request: z.unknown(), reply: z.string(), errors: [], deadlineMs: 3_000 });

/** A hub service that may answer, and a swarm's that may call in the name of its own swarm alone. */
const users = `
authorization { users: [
  { user: source, password: sss, permissions: {
      publish: ["$JS.API.>"], subscribe: ["hk.v1.*.source.*", "_INBOX_source.>"], allow_responses: true } }
  { user: east, password: eee, permissions: {
      publish: ["hk.v1.east.source.*"], subscribe: ["_INBOX_east.>"] } }
] }`;

describe('a bus with permissions', () => {
  const ends: AsyncDisposable[] = [];
  let server: NatsServer;
  let folder: string;
  const open = async (user: string, password: string, inboxPrefix = `_INBOX_${user}`): Promise<ServiceBus> => {
    const passwordFile = join(folder, `${user}-${password}`);
    await writeFile(passwordFile, `${password}\n`);
    const bus = await connectNatsBus({
      servers: [server.url],
      name: user,
      credentials: { user, passwordFile },
      inboxPrefix,
      connectWithinMs: 3_000,
    });
    ends.push({ [Symbol.asyncDispose]: () => bus.close() });
    return bus;
  };

  beforeEach(async () => {
    const dir = await tempDir();
    folder = dir.path;
    server = await natsServer(users);
    ends.push(dir, server);
    const source = await open('source', 'sss');
    await source.wire.subscribe('hk.v1.*.source.ping', 'source', ({ subject, respond }) =>
      respond({ [OUTCOME_HEADER]: OUTCOME_OK }, Buffer.from(JSON.stringify(subject))),
    );
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end[Symbol.asyncDispose]();
  });

  it('lets a service be called and answer with an inbox prefix of its own', async () => {
    const east = await open('east', 'eee');
    await expect(east.call(ping, { swarm: 'east' }, {})).resolves.toBe('hk.v1.east.source.ping');
  });

  it('says at once that a call in the name of another swarm is forbidden', async () => {
    const east = await open('east', 'eee');
    const started = performance.now();
    await expect(east.call(ping, { swarm: 'west' }, {})).rejects.toMatchObject({ code: 'auth/forbidden' });
    await expect(east.views.put('east.swarm', 1)).rejects.toMatchObject({ code: 'auth/forbidden' });
    expect(performance.now() - started).toBeLessThan(2_000);
    await expect(east.call(ping, { swarm: 'east' }, {})).resolves.toBe('hk.v1.east.source.ping');
  });

  it('refuses a wrong password as such, without showing it', async () => {
    const error = await open('east', 'canary-5d1e').catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'auth/forbidden' });
    expect(`${error} ${(error as Error).cause}`).not.toContain('canary');
  });

  it('can not hear with the inbox of another', async () => {
    const spy = await open('east', 'eee', '_INBOX_source');
    await expect(spy.call(ping, { swarm: 'east' }, {}, { timeoutMs: 500 })).rejects.toMatchObject({
      code: expect.stringMatching(/auth\/forbidden|bus\/timeout/),
    });
  });
});
