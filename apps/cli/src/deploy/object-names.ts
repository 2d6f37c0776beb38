import { createHmac } from 'node:crypto';

/**
 * The name of a config or secret with this content: swarm's never change, so that another content needs another name. Keyed by
 * the folder's own salt: everybody may list names, and a plain hash of a weak secret could be guessed.
 */
export function objectName(stack: string, key: string, content: string, salt: string): string {
  return `${stack}-${key}-${createHmac('sha256', salt).update(content).digest('hex').slice(0, 12)}`;
}
