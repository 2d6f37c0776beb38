import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { createLogger, type LogFields } from './logger.ts';

const now = () => new Date('2026-01-02T03:04:05Z');

function lineOf(format: 'json' | 'text', message: string, fields?: LogFields): string {
  const lines: string[] = [];
  createLogger({ format, write: (line) => lines.push(line), now, fields: { swarm: 'east' } })
    .child({ application: 'shop' })
    .info(message, fields);
  return lines.join('|');
}

describe('createLogger', () => {
  it('writes JSON with the fields of its ancestors', () => {
    expect(JSON.parse(lineOf('json', 'synced', { release: 'web', tasks: 3 }))).toEqual({
      time: '2026-01-02T03:04:05.000Z',
      level: 'info',
      message: 'synced',
      swarm: 'east',
      application: 'shop',
      release: 'web',
      tasks: 3,
    });
  });

  it('writes text on one line', () => {
    expect(lineOf('text', 'two\nlines', { reason: 'a b' })).toBe(
      '2026-01-02T03:04:05.000Z INFO  two\\nlines swarm=east application=shop reason="a b"',
    );
  });

  it('tells code, message and causes of an error', () => {
    const error = new HivekeepError('source/auth', 'refused', { cause: new Error('401') });
    expect(JSON.parse(lineOf('json', 'fetch failed', { error }))).toMatchObject({ error: 'refused: 401', code: 'source/auth' });
  });

  it.each<[string, string, LogFields]>([
    ['credentials of a URL in the message', 'fetch https://user:canary@git.example.org/x', {}],
    ['credentials of a URL in a field', 'x', { url: 'https://canary@git.example.org/x' }],
    ['the query of a URL', 'x', { url: 'https://git.example.org/x?token=canary' }],
    ['credentials in an error', 'x', { error: new Error('clone https://u:canary@h/x failed') }],
    ['an object', 'x', { spec: { env: ['TOKEN=canary'] } }],
    ['a list', 'x', { env: ['canary'] }],
  ])('never writes %s', (_case, message, fields) => {
    for (const format of ['json', 'text'] as const) expect(lineOf(format, message, fields)).not.toContain('canary');
  });

  it('leaves out what is below its level', () => {
    const lines: string[] = [];
    const logger = createLogger({ format: 'text', level: 'warn', write: (line) => lines.push(line), now });
    logger.info('no');
    logger.warn('yes');
    expect(lines).toHaveLength(1);
  });

  it('cuts what is too long, soon whatever the text', () => {
    const started = performance.now();
    for (const part of ['x', '://', '://x', '?', '@']) expect(lineOf('json', part.repeat(1_000_000)).length, part).toBeLessThan(5_000);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
