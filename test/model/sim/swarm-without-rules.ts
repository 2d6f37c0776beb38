import type * as Swarm from '@hivekeep/swarm';
import { isOff } from './rules.ts';

/** What is read of the swarm, as it is or without the rule that is off. */
export function swarmWithoutRules(real: typeof Swarm): typeof Swarm {
  return {
    ...real,
    appStatesOf: (...from) => {
      const states = real.appStatesOf(...from);
      if (!isOff('what is marked is not healed')) return states;
      return new Map([...states].map(([application, state]) => [application, unlisted(state)]));
    },
  };
}

/** Marks that are found by who asks for a release's, as the sweep does, and that no list of what is marked has. */
function unlisted({ sweep, ...state }: Swarm.AppState): Swarm.AppState {
  return { ...state, ...(sweep && { sweep: Object.create(sweep) as typeof sweep }) };
}
