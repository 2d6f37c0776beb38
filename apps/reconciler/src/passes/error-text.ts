import type { HivekeepError } from '@hivekeep/contracts';

/** Issues an error's text holds at most; the rest is counted. */
const SHOWN = 20;

/** An error as one text for people: its message, then each issue with where it is. */
export function errorText(error: HivekeepError): string {
  const issues = error.issues ?? [];
  if (issues.length === 0) return error.message;
  const lines = issues.slice(0, SHOWN).map(({ file, line, column, path, message }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return [place, path, message].filter(Boolean).join(': ');
  });
  const more = issues.length > SHOWN ? [`and ${issues.length - SHOWN} more`] : [];
  return [`${error.message}:`, ...lines, ...more].join('\n');
}
