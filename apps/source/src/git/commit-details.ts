import type { Provenance } from '@hivekeep/contracts';

const MAX_TEXT = 200;

/** Who made a commit, when and why, from the bytes of the commit object (gitformat-commit: headers, a blank line, the message). */
export function parseCommitDetails(commit: string, object: Buffer): Provenance {
  const text = object.toString('utf8');
  const split = text.indexOf('\n\n');
  const headers = split < 0 ? text : text.slice(0, split);
  const subject =
    split < 0
      ? ''
      : (text
          .slice(split + 2)
          .trimStart()
          .split('\n')[0] ?? '');
  const author = /^author (.*) <[^>]*> -?\d+ [+-]\d{4}$/m.exec(headers)?.[1];
  const seconds = /^committer .*> (-?\d+) [+-]\d{4}$/m.exec(headers)?.[1];
  return {
    commit,
    ...(author && { author: author.slice(0, MAX_TEXT) }),
    ...(subject && { subject: subject.slice(0, MAX_TEXT) }),
    ...(seconds && isDate(Number(seconds)) && { committedAt: new Date(Number(seconds) * 1000).toISOString() }),
  };
}

function isDate(seconds: number): boolean {
  return Number.isFinite(seconds) && Math.abs(seconds) <= 8.64e12;
}
