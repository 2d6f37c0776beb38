import type { StoredEvent } from '@hivekeep/contracts';

/** One event as a server-sent event; a reset says from where on the client must read the lists again. */
export function eventFrame(stored: StoredEvent): string {
  if ('reset' in stored) return frame(stored.id, 'reset', { reason: stored.reset });
  const { application, swarm, type, revision, message, actor, at } = stored.event;
  return frame(stored.id, type, {
    application,
    swarm,
    type,
    ...(revision && { revision }),
    ...(message && { message }),
    ...(actor && { actor }),
    at,
  });
}

/** A comment: keeps the connection open and shows a client that it is. */
export const HEARTBEAT = ': heartbeat\n\n';

function frame(id: string, type: string, data: unknown): string {
  return `id: ${oneLine(id)}\nevent: ${oneLine(type)}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A line break would start another field of the frame. */
const oneLine = (text: string) => text.replace(/[\r\n\0]/g, ' ');
