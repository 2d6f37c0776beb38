import { labels as keys } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { IntentStore } from '@hivekeep/swarm';
import { isOff } from './rules.ts';

type Options = ConstructorParameters<typeof IntentStore>[0];
type Create = Parameters<IntentStore['create']>;

/** How often a revision that somebody else has taken is followed by the next one. */
const ATTEMPTS = 6;

/** The store of intents, as it is or without the rule that is off. */
export function intentsWithoutRules(options: Options): IntentStore {
  if (isOff('an intent stands before the first write')) return new NoIntents(options);
  if (isOff('a revision follows all records')) return new NumberedByIntents(options);
  if (isOff('a revision follows all intents')) return new NumberedByRecords(options);
  return new IntentStore(options);
}

class NoIntents extends IntentStore {
  override async create(): Promise<string> {
    return 'none';
  }
}

class NumberedByIntents extends IntentStore {
  override async create(...[intent, options]: Create): Promise<string> {
    const begun = (await this.list(options)).filter(({ release }) => release === intent.release);
    return super.create({ ...intent, revision: Math.max(0, ...begun.map(({ revision }) => revision)) + 1 }, options);
  }
}

/** Finds the numbers after the newest record taken, one after the other, when what was begun before is left. */
class NumberedByRecords extends IntentStore {
  readonly #swarm: Options['swarm'];

  constructor(options: Options) {
    super(options);
    this.#swarm = options.swarm;
  }

  override async create(...[intent, options]: Create): Promise<string> {
    const records = await this.#swarm.listConfigs({ ...options, label: `${keys.record.release}=${intent.release}` });
    const newest = Math.max(0, ...records.map(({ labels }) => Number(labels[keys.record.revision])));
    if (intent.revision > newest + ATTEMPTS) throw new HivekeepError('swarm/exists', `revisions after ${newest} are taken`);
    return super.create(intent, options);
  }
}
