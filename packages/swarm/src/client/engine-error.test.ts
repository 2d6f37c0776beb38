import { describe, expect, test } from 'vitest';
import { engineError } from './engine-error.ts';

describe("the daemon's answers as codes", () => {
  test.each([
    [500, 'rpc error: code = Unknown desc = update out of sequence', 'swarm/conflict'],
    [409, 'rpc error: code = AlreadyExists desc = name conflicts with an existing object: service fsvc already exists', 'swarm/exists'],
    [409, 'rpc error: code = AlreadyExists desc = config fc already exists', 'swarm/exists'],
    [409, 'network with name fn already exists', 'swarm/exists'],
    [400, "rpc error: code = InvalidArgument desc = config 'fc' is in use by the following service: fsvc", 'swarm/in-use'],
    [400, 'rpc error: code = FailedPrecondition desc = network abc is in use by service def', 'swarm/in-use'],
    [409, 'remove v1: volume is in use - [0123]', 'swarm/in-use'],
    [400, 'rpc error: code = InvalidArgument desc = only updates to Labels are allowed', 'swarm/invalid'],
    [501, 'rpc error: code = Unimplemented desc = renaming services is not supported', 'swarm/unsupported'],
    [404, 'service nope not found', 'swarm/gone'],
    [500, 'network nope not found', 'swarm/gone'],
    [503, "This node is not a swarm manager. Worker nodes can't be used to view or modify cluster state.", 'swarm/not-a-manager'],
    [
      500,
      "rpc error: code = Unknown desc = The swarm does not have a leader. It's possible that too few managers are online.",
      'swarm/no-leader',
    ],
    [500, 'rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status', 'swarm/no-leader'],
    [500, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'swarm/timeout'],
    [500, 'rpc error: code = Unknown desc = context deadline exceeded', 'swarm/timeout'],
    [500, 'something nobody has seen', 'internal'],
  ])('%i %s', (status, text, code) => {
    expect(engineError({ action: 'do it', status, text }).code).toBe(code);
  });

  test('no answer at all', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED /x'), { code: 'ECONNREFUSED' });
    expect(engineError({ action: 'do it', cause })).toMatchObject({
      code: 'swarm/unreachable',
      message: "do it: can't reach the daemon (ECONNREFUSED)",
    });
    expect(engineError({ action: 'do it', timedOut: true }).code).toBe('swarm/timeout');
    expect(engineError({ action: 'do it', cancelled: true }).code).toBe('cancelled');
  });

  test('a long answer is cut and control characters go', () => {
    const { message } = engineError({ action: 'do it', status: 500, text: `a\u0007b${'x'.repeat(5_000)}` });
    expect(message.length).toBeLessThan(400);
    expect(message).toContain('a b');
  });
});
