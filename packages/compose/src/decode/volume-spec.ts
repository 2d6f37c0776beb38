import type { ServiceVolume } from '../model.ts';

const PROPAGATIONS = new Set(['rprivate', 'private', 'rshared', 'shared', 'rslave', 'slave']);

/**
 * A short volume (`data:/d:ro`, `./x:/y`, `/anonymous`). Rules of the docker CLI: one letter before a colon is a drive,
 * unless it is `named`, the letter of a declared volume at the beginning.
 */
export function parseVolumeSpec(spec: string, named?: string): ServiceVolume | { readonly error: string } {
  if (spec === '') return { error: 'an empty volume' };
  if (Buffer.byteLength(spec) <= 2) return { type: 'volume', target: spec };
  const fields = named === undefined ? splitFields(spec) : [named, ...splitFields(spec.slice(named.length + 1))];
  if (fields.includes('')) return { error: `${JSON.stringify(spec)} has an empty section between colons` };
  if (fields.length > 3) return { error: `${JSON.stringify(spec)} has too many colons; expected [source:]target[:mode]` };
  const [first = '', target, modes = ''] = fields;
  if (target === undefined) return { type: 'volume', target: first };
  const volume: ServiceVolume = { type: named === undefined && isFilePath(first) ? 'bind' : 'volume', source: first, target };
  return applyModes(volume, modes);
}

/** Splits at colons, but not at the one behind a single letter at the beginning of a field (a Windows drive). */
function splitFields(spec: string): string[] {
  const fields: string[] = [];
  let field = '';
  for (const char of spec) {
    if (char !== ':' || (/^\p{L}$/u.test(field) && [...field].length === 1)) field += char;
    else {
      fields.push(field);
      field = '';
    }
  }
  return [...fields, field];
}

function applyModes(volume: ServiceVolume, modes: string): ServiceVolume {
  const out = { ...volume };
  for (const mode of modes.split(',')) {
    if (mode === 'ro') out.read_only = true;
    else if (mode === 'rw') delete out.read_only;
    else if (mode === 'nocopy') out.volume = { nocopy: true };
    else if (PROPAGATIONS.has(mode)) out.bind = { propagation: mode };
  }
  return out;
}

function isFilePath(source: string): boolean {
  return /^[./~]/.test(source) || source.startsWith('\\\\') || /^\p{L}:/u.test(source);
}
