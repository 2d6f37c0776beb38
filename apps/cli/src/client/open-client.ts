import type { ClientFlags } from '../command-options.ts';
import { ApiClient } from './api-client.ts';
import { connectionOf, isLoopback } from './connection.ts';

/** A client for the flags and environment given. A token that would cross a network in the clear is told, once. */
export function openClient(flags: ClientFlags): ApiClient {
  const connection = connectionOf(flags, process.env);
  if (connection.server.protocol === 'http:' && !isLoopback(connection.server.hostname))
    process.stderr.write(`hivekeep: the token goes to ${connection.server.host} unencrypted; give an https:// server\n`);
  return new ApiClient(connection);
}
