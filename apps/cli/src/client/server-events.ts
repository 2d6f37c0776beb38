import { HivekeepError } from '@hivekeep/contracts';

export interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

const MAX_FRAME = 1024 * 1024;

/** Reads `text/event-stream` (WHATWG HTML, 9.2.6) as the gateway writes it: LF line ends, one data line; comments are skipped. */
export async function* parseServerEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    if (rest.length > MAX_FRAME) throw new HivekeepError('bus/too-large', 'an event is over 1 MiB');
    for (const frame of frames) {
      const event = parseFrame(frame);
      if (event) yield event;
    }
  }
}

function parseFrame(frame: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of frame.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, value ?? '');
  }
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), type: fields.get('event') ?? 'message', data };
}
