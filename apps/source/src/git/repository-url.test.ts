import { describe, expect, it } from 'vitest';
import { parseRepositoryUrl, redactUrl } from './repository-url.ts';

const policy = { insecureHosts: ['git.lan'], allowLocal: true };

describe('addresses of repositories', () => {
  it.each([
    ['https://Git.example.com/a.git', { kind: 'https', host: 'git.example.com', authority: 'git.example.com' }],
    ['https://git.example.com:8443/a', { kind: 'https', host: 'git.example.com', authority: 'git.example.com:8443' }],
    ['http://127.0.0.1:3000/a', { kind: 'http', authority: '127.0.0.1:3000' }],
    ['http://git.lan/a', { kind: 'http', host: 'git.lan' }],
    ['ssh://git@git.example.com:22/a.git', { kind: 'ssh', authority: 'git.example.com:22', display: 'ssh://git.example.com:22/a.git' }],
    ['git@git.example.com:team/a.git', { kind: 'ssh', host: 'git.example.com', display: 'git.example.com:team/a.git' }],
    ['/srv/git/a.git', { kind: 'local', display: '/srv/git/a.git' }],
  ])('%s', (url, expected) => {
    expect(parseRepositoryUrl(url, policy)).toMatchObject({ url, ...expected });
  });

  it.each([
    'http://169.254.169.254/latest',
    'file:///etc',
    'ssh://-oProxyCommand=touch/x',
    '-oProxyCommand=x:y',
    'ext::sh -c id',
    'https://user:canary@git.example.com/a',
    'https://git.example.com/a?token=canary',
    `https://git.example.com/${'x'.repeat(1024)}`,
    '',
  ])('refuses %s', (url) => {
    expect(() => parseRepositoryUrl(url, policy)).toThrowError(
      expect.objectContaining({ code: 'source/refused', message: expect.not.stringContaining('canary') }),
    );
  });

  it('are redacted wherever they stand in a text', () => {
    const text = "fatal: unable to access 'https://u:p@ss@git.example.com/a?token=t#f': no";
    expect(redactUrl(text)).toBe("fatal: unable to access 'https://git.example.com/a': no");
  });
});
