import { describe, expect, it } from 'vitest';
import type { LiveService, LiveTask } from '../live.ts';
import { liveService, NOW, snapshot, spec, task } from '../testing/builders.ts';
import { convergence, type WrittenService } from './convergence.ts';

const before = spec('shop_web', { Image: 'app:1' });
const after = spec('shop_web', { Image: 'app:2' });
const written: WrittenService = {
  serviceId: 'id-shop_web',
  name: 'shop_web',
  specBefore: before,
  writtenAtVersion: 19,
  templateChanged: true,
};
const oldTask = { id: 'old', spec: before.TaskTemplate };

function judge(service: Partial<LiveService>, tasks: Partial<LiveTask>[], write: Partial<WrittenService> = {}) {
  const live = liveService(service.spec ?? after, { version: 20, updatedAt: NOW - 100, ...service });
  const stranger = liveService(spec('shop_old'), { updateStatus: { state: 'rollback_completed', message: 'long ago' } });
  const index = snapshot({ services: [live, stranger], tasks: tasks.map((rest) => task(live, rest)) });
  return convergence([{ ...written, ...write }], index, NOW)[0];
}

describe('convergence', () => {
  it('H08 still waits straight after a write that swarm has not begun', () => {
    expect(judge({}, [oldTask])).toMatchObject({ state: 'progressing', running: 0, desired: 1 });
  });
  it('counts tasks of the new generation, once they have run for their window', () => {
    expect(judge({}, [oldTask, { id: 'new', createdAt: NOW - 6000 }])).toMatchObject({ state: 'converged', running: 1, reason: '' });
    expect(judge({}, [oldTask, { id: 'new', createdAt: NOW - 2000 }])).toMatchObject({ state: 'progressing', running: 1 });
  });
  it('does not take a task without spec and version for a new one', () => {
    const { spec: _, ...bare } = task(liveService(after));
    const index = snapshot({ services: [liveService(after, { version: 20 })], tasks: [bare] });
    expect(convergence([written], index, NOW)[0]?.state).toBe('progressing');
  });
  it('is satisfied by the old tasks when the template did not change', () => {
    const labels = { ...before, Labels: { a: 'b' } };
    expect(judge({ spec: labels }, [oldTask], { templateChanged: false })).toMatchObject({ state: 'converged' });
  });
  it('gives a change of the endpoint alone time to begin', () => {
    const ports = { ...before, EndpointSpec: { Ports: [{ TargetPort: 80 }] } };
    expect(judge({ spec: ports }, [oldTask])).toMatchObject({ state: 'progressing', reason: 'the update has not begun yet' });
    expect(judge({ spec: ports, updatedAt: NOW - 6000 }, [oldTask])).toMatchObject({ state: 'converged' });
  });
  it('reads nothing from a snapshot older than the write', () => {
    expect(judge({ version: 19 }, [{ id: 'new' }])).toMatchObject({ state: 'progressing' });
  });
  it('gives the scheduler its say', () => {
    const rejected = { id: 'new', state: 'rejected', desiredState: 'shutdown', error: 'No such image: app:2' };
    expect(judge({ updateStatus: { state: 'updating', message: 'in progress' } }, [oldTask, rejected])?.reason).toContain('No such image');
  });
  it.each(['paused', 'rollback_paused', 'rollback_completed'])('is wedged when the update is %s', (state) => {
    expect(judge({ updateStatus: { state, message: 'failure' } }, [oldTask])).toMatchObject({ state: 'wedged' });
  });
  it('ignores a stranger stuck in an old rollback, and a service that is gone is wedged', () => {
    expect(judge({}, [{ id: 'new' }])).toMatchObject({ state: 'converged' });
    expect(judge({}, [], { serviceId: 'gone' })).toMatchObject({ state: 'wedged' });
  });
});
