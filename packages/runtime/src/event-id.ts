/** `<log id>-<sequence>`. */
export function eventId(log: string, sequence: number): string {
  return `${log}-${sequence}`;
}

/** Undefined when the text is no event id. */
export function parseEventId(text: string): { log: string; sequence: number } | undefined {
  const [, log, digits] = /^([0-9a-z]+)-(\d{1,15})$/.exec(text) ?? [];
  return log === undefined ? undefined : { log, sequence: Number(digits) };
}
