import { isDeepStrictEqual } from 'node:util';
import { labels as keys, owningApplication } from '@hivekeep/application';
import { decodeRecord, type ReleaseRecord } from '@hivekeep/charts';
import type { ConfigSpec } from '@hivekeep/compose';
import { appStateLabels } from '@hivekeep/swarm';
import { type Commit, HOME, type Repository, validSet, volumesOf } from './repository.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { type Change, type SimulatedSwarm, type Stored, stackOf } from './simulated-swarm.ts';

/** A ticket lasts 10 s; what is declared so shortly before a deletion lands may go. A little more for the way. */
const TICKET_MS = 10_500;
/** A write that lands late was decided so long before, at most. */
const LATE_MS = 30_000;

const leaseHolder = 'com.hivekeep.lease.holder';

type Mark = NonNullable<ReturnType<typeof appStateLabels.read>['sweep']>[string];

/** Watches every change of the simulated world and says which of them must never have happened. */
export class Properties {
  readonly violations: string[] = [];
  /** Told of each change, for people. */
  tell: (line: string) => void = () => undefined;
  readonly #swarm: SimulatedSwarm;
  readonly #repository: Repository;
  /** Since when the newest commits have declared a release here, and a volume. */
  #releases = new Map<string, number>();
  #volumes = new Map<string, number>();
  /** Since when they have declared a release elsewhere. */
  #elsewhere = new Map<string, number>();
  /** Releases whose move a reconciler has noted since they were declared here last. */
  readonly #moved = new Set<string>();
  /** Since when the newest commits have declared nothing here. */
  #emptySince: number | undefined;
  /** Releases whose removal a person has allowed. */
  readonly agreed = new Set<string>();
  readonly #records = new Map<string, ReleaseRecord>();
  readonly #writtenIn = new Map<string, number>();
  /** When it was decided that deletions of a release's stack begin. */
  readonly #begun = new Map<string, number>();
  readonly #marks = new Map<string, Readonly<Record<string, Mark>>>();

  constructor(swarm: SimulatedSwarm, repository: Repository) {
    this.#swarm = swarm;
    this.#repository = repository;
    swarm.onChange = (change) => this.#changed(change);
  }

  watch(node: SimulatedNode): void {
    node.onVolumeRemoved = (_, volume, stack) => this.#volumeRemoved(node, volume, stack);
  }

  /** After each commit. */
  committed(): void {
    const { now } = this.#swarm.time;
    const { head } = this.#repository;
    const set = validSet(head);
    const since = (known: ReadonlyMap<string, number>, names: readonly string[]) =>
      new Map(names.map((name) => [name, known.get(name) ?? now]));
    const here = set.filter(({ swarm }) => swarm === HOME);
    this.#releases = since(
      this.#releases,
      here.map(({ release }) => release),
    );
    this.#elsewhere = since(
      this.#elsewhere,
      set.filter(({ swarm }) => swarm !== HOME).map(({ release }) => release),
    );
    this.#volumes = since(
      this.#volumes,
      here.flatMap(({ name, release }) => declaredVolumes(head, name, release)),
    );
    for (const { release } of here) this.#moved.delete(release);
    if (here.length > 0) this.#emptySince = undefined;
    else this.#emptySince ??= now;
  }

  /** What keeps the world from being as the newest commit wants it; undefined: nothing. */
  unsettled(): string | undefined {
    const { head } = this.#repository;
    const here = validSet(head).filter(({ swarm }) => swarm === HOME);
    const declared = new Set(here.map(({ release }) => release));
    const services = this.#swarm.objects('services');
    const configs = this.#swarm.objects('configs');
    for (const { name, release } of here) {
      const content = head.files.get(name);
      const running = services.filter((service) => stackOf(service) === release);
      const [service] = running;
      const image = service && 'TaskTemplate' in service.Spec ? service.Spec.TaskTemplate.ContainerSpec?.Image : undefined;
      if (running.length !== 1 || !image?.startsWith(`web:${content?.version}`))
        return `${release} does not run version ${content?.version}`;
      const owner = this.#newest(release)?.owner;
      if (owningApplication(owner, release, 'default') !== name) return `the newest record of ${release} is not ${name}'s: ${owner}`;
    }
    for (const config of configs) {
      const type = config.Spec.Labels?.[keys.type];
      const of = config.Spec.Labels?.[keys.release] ?? '';
      if (type === 'intent' && declared.has(of)) return `${config.Spec.Name} is left`;
      if (type !== 'app') continue;
      for (const mark of Object.values(marksOf(config)))
        if (declared.has(mark.release) || !mark.moved) return `the mark of ${mark.release} is left`;
    }
    for (const object of (['services', 'networks', 'configs', 'secrets'] as const).flatMap((kind) => this.#swarm.objects(kind))) {
      const release = stackOf(object) ?? object.Spec.Labels?.[keys.record.release];
      if (release === undefined || declared.has(release)) continue;
      // An application that stays and gives its release another name leaves the old one to a person.
      const owner = owningApplication(this.#newest(release)?.owner ?? object.Spec.Labels?.[keys.owner], release, 'default');
      if (here.some(({ name }) => name === owner)) continue;
      const isRecord = object.Spec.Labels?.[keys.record.type] !== undefined;
      if (!isRecord || !this.#isElsewhere(release)) return `${object.Spec.Name} of ${release}, which left, is there`;
    }
    return undefined;
  }

  #isElsewhere(release: string): boolean {
    const marked = [...this.#marks.values()].some((marks) => marks[release]?.moved);
    return marked || this.#moved.has(release) || this.#elsewhere.has(release);
  }

  #newest(release: string): ReleaseRecord | undefined {
    const records = [...this.#records.values()].filter((record) => record.release === release);
    return records.sort((a, b) => b.revision - a.revision)[0];
  }

  #violated(what: string): void {
    this.violations.push(`at ${(this.#swarm.time.now / 1000).toFixed(1)} s: ${what}`);
  }

  #changed({ kind, before, after, sender }: Change): void {
    const { time } = this.#swarm;
    const type = (after ?? before)?.Spec.Labels?.[keys.type];
    this.#tellOf({ kind, before, after, sender }, type);
    if (type !== 'lease' && sender.epoch !== 0) {
      const writtenIn = before && this.#writtenIn.get(before.ID);
      const deposed = writtenIn !== undefined && writtenIn > sender.epoch;
      if (deposed)
        this.#violated(
          `S3 ${sender.name} in epoch ${sender.epoch} ${after ? 'overwrites' : 'deletes'} ${before?.Spec.Name} of epoch ${writtenIn}`,
        );
      if (after) this.#writtenIn.set(after.ID, sender.epoch);
    }
    // A new lease knows the nodes of its day: who deleted the old one has given up those that left before.
    if (type === 'lease' && !before) for (const node of this.#swarm.nodes) node.forgotten ||= !node.listed;
    if (type === 'app') this.#noteMarks((after ?? before) as Stored, after, sender.sentAt);
    const object = after ?? before;
    if (object?.Spec.Labels?.[keys.record.type] !== undefined) {
      if (after) this.#records.set(after.ID, decodeRecord({ name: after.Spec.Name, data: dataOf(after) }));
      else if (before) this.#recordRemoved(before);
      return;
    }
    if (after || !before || sender.name === 'person') return;
    const release = stackOf(before);
    if (release !== undefined && type === undefined && kind !== 'networks') this.#objectRemoved(kind, before, release, time.now);
  }

  #tellOf({ kind, before, after, sender }: Change, type: string | undefined): void {
    const object = after ?? before;
    if (type === 'lease' && before?.Spec.Labels?.[leaseHolder] === after?.Spec.Labels?.[leaseHolder]) return;
    const marks = type === 'app' && after ? Object.values(marksOf(after)) : [];
    const states = marks.map(({ release, phase, begun, moved }) => ` ${release} ${phase}${begun ? ' begun' : ''}${moved ? ' moved' : ''}`);
    const what = after ? (before ? 'updates' : 'creates') : 'deletes';
    this.tell(`  ${sender.name} (${sender.epoch}) ${what} ${kind} ${object?.Spec.Name}${states.join(',')}`);
  }

  #noteMarks(config: Stored, after: Stored | undefined, sentAt: number): void {
    const known = this.#marks.get(config.ID) ?? {};
    const marks = after ? marksOf(after) : {};
    this.#marks.set(config.ID, marks);
    for (const release of Object.keys(known)) if (!marks[release]) this.#begun.delete(release);
    for (const [release, mark] of Object.entries(marks)) {
      if (mark.begun && mark.phase === 'stack' && !known[release]?.begun) this.#begins(release);
      if (mark.phase === 'stack' && mark.begun && !this.#begun.has(release)) this.#begun.set(release, sentAt);
      // A new holder writes each mark again, as it is: that notes no move, and may come before it sees that the release was declared again.
      if (mark.moved && !this.#releases.has(release) && !isDeepStrictEqual(mark, known[release])) this.#moved.add(release);
    }
  }

  #objectRemoved(kind: string, { Spec }: Stored, release: string, now: number): void {
    const since = this.#releases.get(release);
    if (since === undefined || now - since <= TICKET_MS) return;
    const begun = this.#begun.get(release);
    if (begun !== undefined && since > begun - TICKET_MS) return;
    const wanted = kind !== 'configs' || this.#newest(release)?.manifest.includes(Spec.Name);
    if (wanted) this.#violated(`S2 ${Spec.Name} of ${release} is deleted, which has been declared for ${seconds(now - since)}`);
  }

  #volumeRemoved(node: SimulatedNode, volume: string, stack: string): void {
    const { now } = this.#swarm.time;
    const old = (since: number | undefined): since is number => since !== undefined && now - since > TICKET_MS;
    const since = this.#volumes.get(volume);
    if (old(since)) this.#violated(`S1 volume ${volume} on ${node.id} is deleted, which has been declared for ${seconds(now - since)}`);
    const named = [...this.#records.values()].some((record) => record.release === stack && ownVolumes(record).includes(volume));
    if (!named) this.#violated(`S1 volume ${volume} on ${node.id} is deleted, which no record names`);
    if (this.#moved.has(stack)) this.#violated(`S1 volume ${volume} on ${node.id} is deleted of ${stack}, which was seen to move`);
    const elsewhere = this.#elsewhere.get(stack);
    if (old(elsewhere))
      this.#violated(`S1 volume ${volume} on ${node.id} is deleted of ${stack}, which stands elsewhere for ${seconds(now - elsewhere)}`);
  }

  /** More than three, or all there is, begin to go only when a person has agreed. */
  #begins(release: string): void {
    if (this.agreed.has(release)) return;
    const going = [...this.#marks.values()]
      .flatMap((marks) => Object.values(marks))
      .filter(({ begun, phase }) => begun || phase !== 'stack');
    const unasked = new Set(going.filter((mark) => !this.agreed.has(mark.release)).map(({ application }) => application));
    const most = Math.max(3, 0.2 * (this.#releases.size + going.length));
    if (unasked.size > most) this.#violated(`B ${going.map((mark) => mark.release).join(', ')} go at once, and nobody was asked`);
    if (this.#emptySince !== undefined && this.#swarm.time.now - this.#emptySince > LATE_MS)
      this.#violated(`B ${release} goes by a set without any application, and nobody was asked`);
  }

  #recordRemoved({ ID }: Stored): void {
    const record = this.#records.get(ID);
    if (!record) return;
    const marked = [...this.#marks.values()].some((marks) => marks[record.release]);
    if (!marked && this.#releases.has(record.release) && this.#newest(record.release) === record)
      this.#violated(`S2 the newest record of ${record.release}, v${record.revision}, goes without a mark`);
    this.#records.delete(ID);
    for (const volume of ownVolumes(record)) {
      const others = [...this.#records.values()].some((other) => other.manifest.includes(volume) || ownVolumes(other).includes(volume));
      if (others || this.#volumes.has(volume)) continue;
      const remains = this.#swarm.nodes.find((node) => !node.forgotten && node.volumes.get(volume)?.labels[keys.stack] === record.release);
      if (remains)
        this.#violated(`S5 the last record of ${record.release} v${record.revision} goes; its volume ${volume} is on ${remains.id}`);
    }
  }
}

function declaredVolumes({ files }: Commit, name: string, release: string): string[] {
  const content = files.get(name);
  return content ? volumesOf(release, content) : [];
}

function ownVolumes({ release, manifest }: ReleaseRecord): string[] {
  return manifest.includes('"data":{}') ? [`${release}_data`] : [];
}

function marksOf(config: Stored): Readonly<Record<string, Mark>> {
  return appStateLabels.read(config.Spec.Labels ?? {}).sweep ?? {};
}

function dataOf({ Spec }: Stored): Buffer {
  return Buffer.from((Spec as ConfigSpec).Data ?? '', 'base64');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
