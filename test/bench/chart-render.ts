import { buildOracle, hasGo, measureSpeed } from '@hivekeep/test-conformance';
import { atMost, type Figure } from './figure.ts';

const MS = 1e6;

/** (h): a chart of sixty services against the engine's own libraries in Go, both warm, the shortest of five hundred runs. */
export async function chartRender(): Promise<Figure[]> {
  if (!(await hasGo())) {
    process.stderr.write('hivekeep bench: h is not measured: it needs Go 1.24 or later\n');
    return [];
  }
  const oracle = await buildOracle();
  try {
    const { here, go } = await measureSpeed(oracle);
    const note = (mine: number, theirs: number) => `${(mine / MS).toFixed(2)} ms, Go ${(theirs / MS).toFixed(2)} ms`;
    return [
      atMost('h.execute.60', here.executeNs / go.executeNs, 2, { unit: 'x Go', note: note(here.executeNs, go.executeNs) }),
      atMost('h.render.60', here.renderNs / go.renderNs, 3, { unit: 'x Go', note: note(here.renderNs, go.renderNs) }),
    ];
  } finally {
    await oracle.remove();
  }
}
