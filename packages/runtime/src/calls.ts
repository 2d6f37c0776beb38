import { randomUUID } from 'node:crypto';
import { HivekeepError, type ReplyOf, type RequestInput, type Rpc, subjectOf, type Target, WireError } from '@hivekeep/contracts';
import { z } from 'zod';
import type { CallOptions, Calls } from './bus.ts';
import { decodeBody, encodeBody, OUTCOME_HEADER, OUTCOME_OK, REQUEST_HEADER, TIMEOUT_HEADER } from './envelope.ts';
import { counter } from './metrics.ts';
import { cancelledError } from './waiting.ts';
import type { Wire, WireMessage } from './wire.ts';

const made = counter('calls_made', 'Calls made to other services, by call and outcome: ok or the code of the error.', ['call', 'outcome']);

/** One token of a subject: no dot, no wildcard, no white space. */
const TOKEN = /^[A-Za-z0-9_-]+$/;

/** Typed calls over any wire. */
export function callsOver(wire: Wire): Calls {
  return {
    async call<C extends Rpc>(contract: C, target: Target, request: RequestInput<C>, options: CallOptions = {}): Promise<ReplyOf<C>> {
      const { signal, timeoutMs = contract.deadlineMs, requestId = randomUUID() } = options;
      if (signal?.aborted) throw cancelledError(signal);
      const subject = checkedSubject(contract, target);
      const body = encodeBody(request, wire.maxBytes, `request ${subject}`);
      const headers = { [TIMEOUT_HEADER]: String(Math.ceil(timeoutMs)), [REQUEST_HEADER]: requestId };
      const count = (outcome: string) => made.inc({ call: `${contract.service}.${contract.verb}`, outcome });
      try {
        const reply = readReply(contract, await wire.request(subject, headers, body, { timeoutMs, ...(signal && { signal }) }));
        count(OUTCOME_OK);
        return reply;
      } catch (error) {
        count(HivekeepError.from(error).code);
        throw error;
      }
    },
  };
}

function checkedSubject(contract: Rpc, target: Target): string {
  const tokens = [target.swarm, ...(contract.scope === 'node' ? [target.node ?? ''] : [])];
  for (const token of tokens)
    if (!TOKEN.test(token))
      throw new HivekeepError(
        'bus/invalid-message',
        `${contract.service}.${contract.verb}: expected a target of letters, digits, "_" or "-", found ${JSON.stringify(token)}`,
      );
  return subjectOf(contract, target);
}

function readReply<C extends Rpc>(contract: C, { headers, body }: WireMessage): ReplyOf<C> {
  const value = decodeBody(body);
  if (headers[OUTCOME_HEADER] !== OUTCOME_OK) throw HivekeepError.from(WireError.parse(value));
  const reply = contract.reply.safeParse(value);
  if (reply.success) return reply.data as ReplyOf<C>; // the schema of this very contract
  throw new HivekeepError(
    'bus/invalid-message',
    `reply of ${contract.service}.${contract.verb} does not fit its contract: ${z.prettifyError(reply.error)}`,
  );
}
