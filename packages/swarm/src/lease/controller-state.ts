import { Approval } from '@hivekeep/contracts';
import { z } from 'zod';
import { StateLabels } from '../stores/state-labels.ts';

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
  /** When the manager was first seen to list it no more. */
  left: z.string().optional(),
  /** A person gave it up for good. */
  forgotten: z.object({ by: z.string(), at: z.string() }).optional(),
});
export type KnownNode = z.infer<typeof KnownNode>;

export const Freeze = z.object({ id: z.string(), by: z.string(), at: z.string(), reason: z.string().default('') });
export type Freeze = z.infer<typeof Freeze>;

/** What concerns a whole controller and must outlive its process: kept in the lease's labels. */
export const ControllerState = z.object({
  /** The app set's last accepted commit. */
  commit: z.string().optional(),
  approvals: z.array(KeptApproval).optional(),
  /** Every node the manager lists, and those that left and may hold volumes, by node id. */
  nodes: z.record(z.string(), KnownNode).optional(),
  freeze: Freeze.optional(),
  /** The id of the freeze that the holder has obeyed. */
  freezeAck: z.string().optional(),
  /** `open` from the making of the lease until the reconciler knows that no earlier records exist or a person approved them. */
  firstContact: z.enum(['open', 'settled']).optional(),
});
export type ControllerState = z.infer<typeof ControllerState>;

/** Nodes are the most of it: about 120 bytes each. */
export const controllerStateLabels = new StateLabels(ControllerState, 256 * 1024);
