import { reconcilerCalls as calls, type ReplyOf, type RequestOf } from '@hivekeep/contracts';
import { Handle } from '@hivekeep/runtime';
import { Controller } from '@nestjs/common';
import { Reconciler } from './reconciler.ts';

type Req<K extends keyof typeof calls> = RequestOf<(typeof calls)[K]>;
type Rep<K extends keyof typeof calls> = Promise<ReplyOf<(typeof calls)[K]>>;

/** The calls of one swarm's active reconciler. */
@Controller()
export class ReconcilerController {
  constructor(private readonly reconciler: Reconciler) {}

  @Handle(calls.sync)
  onSync({ application, actor }: Req<'sync'>): Rep<'sync'> {
    return this.reconciler.term().requests.sync(application, actor);
  }

  @Handle(calls.rollback)
  onRollback({ application, actor, release, to }: Req<'rollback'>): Rep<'rollback'> {
    return this.reconciler.term().requests.rollback(application, actor, { release, to });
  }

  @Handle(calls.refresh)
  onRefresh({ application, actor }: Req<'refresh'>): Rep<'refresh'> {
    return this.reconciler.term().requests.refresh(application, actor);
  }

  @Handle(calls.pause)
  onPause({ application, actor, reason }: Req<'pause'>): Rep<'pause'> {
    return this.reconciler.term().requests.pause(application, actor, reason);
  }

  @Handle(calls.resume)
  onResume({ application, actor }: Req<'resume'>): Rep<'resume'> {
    return this.reconciler.term().requests.resume(application, actor);
  }

  @Handle(calls.diff)
  async onDiff({ application }: Req<'diff'>): Rep<'diff'> {
    return this.reconciler.term().reports.diff(application);
  }

  @Handle(calls.history)
  onHistory({ application }: Req<'history'>): Rep<'history'> {
    return this.reconciler.term().reports.history(application);
  }

  @Handle(calls.swarmStatus)
  onStatus(_request: Req<'swarmStatus'>): Rep<'swarmStatus'> {
    return this.reconciler.term().view();
  }

  @Handle(calls.pruneList)
  async onPruneList(_request: Req<'pruneList'>): Rep<'pruneList'> {
    return this.reconciler.term().sweeper.list();
  }

  @Handle(calls.pruneApprove)
  onPruneApprove({ id, releases, actor }: Req<'pruneApprove'>): Rep<'pruneApprove'> {
    return this.reconciler.term().sweeper.approve(id, releases, actor);
  }

  @Handle(calls.pruneForgetNode)
  onPruneForgetNode({ node, actor }: Req<'pruneForgetNode'>): Rep<'pruneForgetNode'> {
    return this.reconciler.term().sweeper.forgetNode(node, actor);
  }

  @Handle(calls.freeze)
  onFreeze({ actor, reason }: Req<'freeze'>): Rep<'freeze'> {
    return this.reconciler.freeze(actor, reason);
  }

  @Handle(calls.unfreeze)
  onUnfreeze({ actor }: Req<'unfreeze'>): Rep<'unfreeze'> {
    return this.reconciler.unfreeze(actor);
  }
}
