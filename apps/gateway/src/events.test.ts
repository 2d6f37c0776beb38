import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { Authorizer } from './auth/authorizer.ts';
import { event, gatewayFixture, TOKEN } from './testing/gateway-fixture.ts';

type Fixture = Awaited<ReturnType<typeof gatewayFixture>>;

/** An event client whose text so far can be read; `response` may be paused to be slow. */
async function listen({ gateway }: Fixture, headers: Record<string, string> = {}, query = '') {
  const client = { text: '', ended: false };
  const [request, response] = await new Promise<[ClientRequest, IncomingMessage]>((resolve, reject) => {
    const sent = get(`${gateway.url}/api/v1/events${query}`, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } }, (got) =>
      resolve([sent, got]),
    );
    sent.on('error', reject);
  });
  response.setEncoding('utf8').on('data', (chunk: string) => {
    client.text += chunk;
  });
  response
    .on('error', () => undefined)
    .once('close', () => {
      client.ended = true;
    });
  return { client, response, close: () => request.destroy() };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 8_000, interval: 20 });
const ids = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id as string);
const messages = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string).message);

describe('events', () => {
  it('frames events with ids and resumes after the last one', async () => {
    await using fixture = await gatewayFixture();
    const first = await listen(fixture);
    expect(first.response.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    await until(() => expect(first.client.text).toContain(': connected'));
    await fixture.bus.events.publish(event('web', 'one'));
    await until(() => expect(messages(first.client.text)).toEqual(['one']));
    expect(first.client.text).toContain(
      'event: sync-succeeded\ndata: {"application":"web","swarm":"home","type":"sync-succeeded","message":"one","at":"2026-01-02T03:04:05Z"}\n\n',
    );
    const [last] = ids(first.client.text);
    first.close();
    await fixture.bus.events.publish(event('web', 'two'));
    const second = await listen(fixture, { 'last-event-id': last as string });
    await until(() => expect(messages(second.client.text)).toEqual(['two']));
  });

  it('says reset when it cannot resume', async () => {
    await using fixture = await gatewayFixture();
    const { client } = await listen(fixture, { 'last-event-id': 'other-7' });
    await until(() => expect(client.text).toContain('event: reset\n'));
  });

  it('sends heartbeats and ends with the gateway', async () => {
    const fixture = await gatewayFixture({ config: { heartbeatMs: 30 } });
    const { client } = await listen(fixture);
    await until(() => expect(client.text).toContain(': heartbeat'));
    await fixture[Symbol.asyncDispose]();
    await until(() => expect(client.ended).toBe(true));
  });

  it('filters by application', async () => {
    await using fixture = await gatewayFixture();
    const { client } = await listen(fixture, {}, '?application=web');
    await until(() => expect(client.text).toContain(': connected'));
    await fixture.bus.events.publish(event('api', 'other'));
    await fixture.bus.events.publish(event('web', 'mine'));
    await until(() => expect(messages(client.text)).toEqual(['mine']));
  });

  it('hides events of other applications, and ends when the subject is taken back', async () => {
    let valid = true;
    const narrow: Authorizer = {
      ready: async () => true,
      authenticate: async () => (valid ? { name: 'eve', groups: [], extra: {} } : undefined),
      authorize: async (_subject, _action, application) => application === '' || application === 'edge',
      visible: async () => ['edge'],
    };
    await using fixture = await gatewayFixture({ authorizer: narrow, config: { heartbeatMs: 50 } });
    const { client } = await listen(fixture);
    await until(() => expect(client.text).toContain(': connected'));
    await fixture.bus.events.publish(event('hidden', 'no'));
    await fixture.bus.events.publish(event('edge', 'yes'));
    await until(() => expect(messages(client.text)).toEqual(['yes']));
    valid = false;
    await until(() => expect(client.ended).toBe(true));
    expect(messages(client.text)).toEqual(['yes']);
  });

  it('disconnects a slow client, blocks nobody, and lets it resume without a gap', async () => {
    await using fixture = await gatewayFixture({ config: { streamBufferBytes: 512 * 1024 } });
    const quick = await listen(fixture);
    const slow = await listen(fixture);
    await until(() => expect(slow.client.text).toContain(': connected'));
    slow.response.pause();
    const text = 'x'.repeat(64 * 1024);
    const expected: string[] = [];
    for (let round = 0; round < 300; round += 1) {
      expected.push(`${round} ${text}`);
      await fixture.bus.events.publish(event('web', `${round} ${text}`));
      if (round % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await until(() => expect(messages(quick.client.text)).toHaveLength(300));
    slow.response.resume();
    await until(() => expect(slow.client.ended).toBe(true));
    let seen = whole(slow.client.text);
    expect(messages(seen).length).toBeLessThan(300);
    for (let attempt = 0; attempt < 100 && messages(seen).length < 300; attempt += 1) {
      const again = await listen(fixture, { 'last-event-id': ids(seen).at(-1) as string });
      const missing = 300 - messages(seen).length;
      await until(() => expect(again.client.ended || messages(whole(again.client.text)).length >= missing).toBe(true));
      again.close();
      seen += whole(again.client.text);
    }
    expect(messages(seen)).toEqual(expected);
  });
});

/** Up to the last complete frame, as an event client reads. */
const whole = (text: string) => text.slice(0, text.lastIndexOf('\n\n') + 2);
