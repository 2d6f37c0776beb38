import type { Labels } from '@hivekeep/compose';
import { Approval, HivekeepError } from '@hivekeep/contracts';
import { z } from 'zod';

/** An approval as it is kept: what was asked for, who allowed which part of it, and what of that was used. */
export const KeptApproval = Approval.extend({
  approvedBy: z.string().optional(),
  approvedAt: z.string().optional(),
  /** Releases the approval covers; absent: nobody has approved it yet. */
  approved: z.array(z.string()).optional(),
  used: z.array(z.string()).default([]),
});
export type KeptApproval = z.infer<typeof KeptApproval>;

export const KnownNode = z.object({
  hostname: z.string(),
  /** When the manager first listed it (RFC 3339). */
  since: z.string(),
  /** A person gave it up for good. */
  forgotten: z.object({ by: z.string(), at: z.string() }).optional(),
});
export type KnownNode = z.infer<typeof KnownNode>;

export const Freeze = z.object({ id: z.string(), by: z.string(), at: z.string(), reason: z.string().default('') });
export type Freeze = z.infer<typeof Freeze>;

const members = {
  /** The app set's last accepted commit. */
  commit: z.string().optional(),
  approvals: z.array(KeptApproval).optional(),
  /** Every node the manager ever listed, by node id. */
  nodes: z.record(z.string(), KnownNode).optional(),
  freeze: Freeze.optional(),
  /** The id of the freeze that the holder has obeyed. */
  freezeAck: z.string().optional(),
  /** `open` from the making of the lease until the reconciler knows that no earlier records exist or a person approved them. */
  firstContact: z.enum(['open', 'settled']).optional(),
};

/** What concerns a whole controller and must outlive its process: kept in the lease's labels, one member a label, as JSON. */
export const ControllerState = z.object(members);
export type ControllerState = z.infer<typeof ControllerState>;

const PREFIX = 'com.hivekeep.state.';
const MAX_BYTES = 256 * 1024;

/** @throws HivekeepError `swarm/invalid` naming the label that can't be read */
export function controllerStateOf(labels: Labels): ControllerState {
  const read: Record<string, unknown> = {};
  for (const [member, schema] of Object.entries(members)) {
    const text = labels[PREFIX + member];
    if (text !== undefined) read[member] = parseMember(PREFIX + member, text, schema);
  }
  return read;
}

/**
 * `labels` with the state's members put in; labels of others and members of a newer version stay as they are.
 * @throws HivekeepError `state/too-large`
 */
export function withControllerState(labels: Labels, state: ControllerState): Labels {
  const own = Object.keys(members).map((member) => PREFIX + member);
  const kept = Object.entries(labels).filter(([key]) => !own.includes(key));
  const written = Object.entries(ControllerState.parse(state))
    .filter(([, value]) => value !== undefined)
    .map(([member, value]) => [PREFIX + member, JSON.stringify(value)] as const);
  const next = Object.fromEntries([...kept, ...written]);
  const bytes = Buffer.byteLength(JSON.stringify(next));
  if (bytes > MAX_BYTES)
    throw new HivekeepError(
      'state/too-large',
      `the controller's state would have ${bytes} bytes of at most ${MAX_BYTES}; forget nodes that left`,
    );
  return next;
}

function parseMember(label: string, text: string, schema: z.ZodType): unknown {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new HivekeepError(
      'swarm/invalid',
      `label ${label} of the lease: expected JSON as Hivekeep writes it; repair or remove the label`,
      { cause },
    );
  }
}
