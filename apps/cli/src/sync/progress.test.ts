import { healthyView } from '@hivekeep/gateway/testing';
import { describe, expect, it } from 'vitest';
import { SyncProgress } from './progress.ts';

function sink(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 60, write: (text: string) => written.push(text) };
}

function rolling(running: number, message?: string) {
  const view = healthyView('shop');
  view.status.releases = [
    {
      name: 'shop',
      chart: 'compose',
      version: '0.0.0',
      revision: 1,
      action: 'upgrade',
      sync: 'out-of-sync',
      health: view.status.health,
      services: [
        {
          name: 'shop_web',
          mode: 'replicated',
          running,
          desired: 3,
          health: 'progressing',
          updateState: 'updating',
          ...(message && { message }),
        },
        { name: 'shop_db', mode: 'replicated', running: 1, desired: 1, health: 'healthy', updateState: '' },
      ],
    },
  ];
  return view;
}

describe('SyncProgress', () => {
  it('appends only lines that changed where there is no terminal', () => {
    const output = sink(false);
    const progress = new SyncProgress(output);
    progress.show(rolling(1));
    progress.show(rolling(1));
    progress.show(rolling(2, 'no suitable node\n(1 node)\u001b[2J'));
    expect(output.written).toEqual([
      'shop      synced\n',
      'shop_web  1/3    progressing  updating\n',
      'shop_db   1/1    healthy\n',
      'shop_web  2/3    progressing  updating  no suitable node (1 node) [2J\n',
    ]);
  });

  it('draws over its own lines on a terminal, none wider than it', () => {
    const output = sink(true);
    const progress = new SyncProgress(output);
    progress.show(rolling(1));
    progress.show(rolling(2, 'x'.repeat(200)));
    expect(output.written[1]?.startsWith('\u001b[3A\u001b[J')).toBe(true);
    const lines = output.written.flatMap((text) => text.replaceAll('\u001b[3A', '').replaceAll('\u001b[J', '').split('\n'));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(60);
  });
});
