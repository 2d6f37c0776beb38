import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';
import { parsePortSpec } from './port-spec.ts';
import { parseSize } from './size.ts';
import { splitCommand } from './split-command.ts';
import { parseVolumeSpec } from './volume-spec.ts';

describe('durations', () => {
  it.each([
    ['1m30s', 90_000_000_000],
    ['.5s', 500_000_000],
    ['1s1s', 2_000_000_000],
    ['-5s', -5_000_000_000],
    ['0', 0],
    ['0.99999999999999999999s', 1_000_000_000],
    ['2562047h47m16.854775807s', 9223372036854775807n],
    ['2562047h47m16.854775808s', undefined],
    ['1d', undefined],
    ['10', undefined],
    ['5S', undefined],
    ['', undefined],
    ['.s', undefined],
  ])('%s', (text, nanoseconds) => {
    expect(parseDuration(text)).toBe(nanoseconds);
  });

  it.each(['0s', '1.5µs', '250ms', '1m30s', '1h0m0.25s', '-5s', '2562047h47m16.854775807s'])('%s is written as it is read', (text) => {
    expect(formatDuration(parseDuration(text) ?? 1)).toBe(text);
  });
});

describe('sizes', () => {
  it.each([
    ['512m', 536_870_912],
    ['1.5GiB', 1_610_612_736],
    ['10 MB', 10_485_760],
    ['1e3', 1000],
    ['1_000', 1000],
    ['50Mi', undefined],
    [' 1g ', undefined],
    ['-1m', undefined],
    ['lots', undefined],
  ])('%s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });
});

describe('short ports', () => {
  it('expands ranges of one length, and a range to one port', () => {
    expect(parsePortSpec('7000-7001:80-81/udp')).toEqual({
      ports: [
        { protocol: 'udp', target: 80, published: 7000 },
        { protocol: 'udp', target: 81, published: 7001 },
      ],
      count: 2,
      address: '',
    });
    expect(parsePortSpec('[::1]:8000-8002:80')).toMatchObject({
      address: '::1',
      ports: [{ published: 8000 }, { published: 8001 }, { published: 8002 }],
    });
  });

  it('sorts a range as the docker CLI does, by text', () => {
    const spec = parsePortSpec('9999-10000');
    expect('ports' in spec && spec.ports.map(({ target }) => target)).toEqual([10000, 9999]);
  });

  it.each(['127.0.0.1:80', 'localhost:80:80', '65536:80', '8000:80-81', '82-80', '80/icmp', '1:2:3:4', '80:', ''])('refuses %j', (text) => {
    expect(parsePortSpec(text)).toHaveProperty('error');
  });
});

describe('short volumes', () => {
  it.each([
    ['/a', { type: 'volume', target: '/a' }],
    ['data:/d:ro', { type: 'volume', source: 'data', target: '/d', read_only: true }],
    ['./x:/y:ro,rw,z', { type: 'bind', source: './x', target: '/y' }],
    ['my.data:/d', { type: 'volume', source: 'my.data', target: '/d' }],
    ['C:\\x:/d', { type: 'bind', source: 'C:\\x', target: '/d' }],
    ['d:/data', { type: 'volume', target: 'd:/data' }],
    ['~/x:/y:rshared', { type: 'bind', source: '~/x', target: '/y', bind: { propagation: 'rshared' } }],
  ])('%s', (spec, volume) => {
    expect(parseVolumeSpec(spec)).toEqual(volume);
  });

  it.each(['', ':/a', '/a::', '/a:/b:ro:x'])('refuses %j', (spec) => {
    expect(parseVolumeSpec(spec)).toHaveProperty('error');
  });
});

describe('command lines', () => {
  it.each([
    ['a "b c" d\\ e', ['a', 'b c', 'd e']],
    ['"e\\nf"', ['enf']],
    ["'' a", ['', 'a']],
    ['a #b c', ['a']],
    ['a#b', ['a#b']],
    ['a\u00a0b', ['a\u00a0b']],
    ['', []],
  ])('%j', (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });

  it.each(['a "b', "a 'b", 'a \\'])('refuses %j', (text) => {
    expect(splitCommand(text)).toHaveProperty('error');
  });
});
