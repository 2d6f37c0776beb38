import type { Attachment, FileReference, Healthcheck, Service, Ulimit } from '../model.ts';
import { compareText } from '../order.ts';
import { type Dict, GoFloat, type Int, isDict, member, printValue, record, type Value } from '../value.ts';
import { decodeDeploy } from './decode-deploy.ts';
import { decodePorts } from './decode-ports.ts';
import { decodeVolumes } from './decode-volumes.ts';
import { anyCase, Fields, fieldsOf, present } from './fields.ts';
import { splitCommand } from './split-command.ts';

/**
 * A service of a document as the model has it; what does not fit is collected in the problems of `fields`.
 * `declaredVolumes` are the keys of the document's top-level volumes; `spec`: with what the dialect `spec` alone sends.
 */
export function decodeService(fields: Fields, declaredVolumes: ReadonlySet<string>, spec = false): Service {
  return present<Service>({
    ...decodeSpecMembers(spec ? fields : undefined),
    cap_add: fields.strings('cap_add'),
    cap_drop: fields.strings('cap_drop'),
    command: decodeCommand(fields, 'command'),
    entrypoint: decodeCommand(fields, 'entrypoint'),
    configs: decodeReferences(fields, 'configs'),
    credential_spec: decodeCredentialSpec(fields),
    depends_on: fields.strings('depends_on'),
    deploy: decodeDeploy(fields),
    dns: fields.strings('dns'),
    dns_search: fields.strings('dns_search'),
    environment: fields.pairs('environment', 'null'),
    env_file: fields.strings('env_file'),
    extra_hosts: decodeExtraHosts(fields),
    healthcheck: decodeHealthcheck(fields),
    hostname: fields.text('hostname'),
    image: fields.text('image'),
    init: fields.boolean('init'),
    isolation: fields.text('isolation'),
    labels: fields.pairs('labels'),
    logging: decodeLogging(fields),
    networks: decodeAttachments(fields),
    ports: decodePorts(fields),
    read_only: fields.boolean('read_only'),
    restart: fields.text('restart'),
    secrets: decodeReferences(fields, 'secrets'),
    stdin_open: fields.boolean('stdin_open'),
    stop_grace_period: fields.duration('stop_grace_period'),
    stop_signal: fields.text('stop_signal'),
    sysctls: fields.pairs('sysctls'),
    tty: fields.boolean('tty'),
    ulimits: decodeUlimits(fields),
    user: fields.text('user'),
    volumes: decodeVolumes(fields, declaredVolumes, spec),
    working_dir: fields.text('working_dir'),
  });
}

type SpecMembers = Pick<Service, 'dns_opt' | 'group_add' | 'oom_score_adj' | 'security_opt'>;

/** What the docker CLI reads and does not send, or does not know. */
function decodeSpecMembers(fields: Fields | undefined): { [K in keyof SpecMembers]-?: SpecMembers[K] | undefined } {
  return {
    dns_opt: fields?.strings('dns_opt'),
    group_add: fields?.strings('group_add'),
    oom_score_adj: fields?.integer('oom_score_adj'),
    security_opt: fields?.strings('security_opt'),
  };
}

function decodeCommand(fields: Fields, key: string): string[] | undefined {
  const value = fields.given(key);
  if (typeof value !== 'string') return fields.strings(key);
  const words = splitCommand(value);
  if (Array.isArray(words)) return words;
  fields.problems.add(fields.at(key), `cannot be split into words: ${words.error}`);
  return undefined;
}

function decodeReferences(fields: Fields, key: string): FileReference[] | undefined {
  return fields.list(key)?.map((item, index) => {
    if (typeof item === 'string') return { source: item };
    const reference = anyCase(fieldsOf(item, [...fields.at(key), index], fields.problems), ['source', 'target', 'uid', 'gid', 'mode']);
    return present<FileReference>({
      source: reference.text('source'),
      target: reference.text('target'),
      uid: reference.text('uid'),
      gid: reference.text('gid'),
      mode: reference.unsigned('mode', 32),
    });
  });
}

function decodeCredentialSpec(fields: Fields): Service['credential_spec'] {
  const spec = fields.child('credential_spec');
  if (!spec) return undefined;
  return present<NonNullable<Service['credential_spec']>>({
    config: spec.text('config'),
    file: spec.text('file'),
    registry: spec.text('registry'),
  });
}

/** `host:address` texts: a list keeps its order and takes `=` or `:`, a mapping is sorted. */
function decodeExtraHosts(fields: Fields): string[] | undefined {
  const value = fields.given('extra_hosts');
  if (value === undefined) return undefined;
  const pairs = isDict(value)
    ? hostPairs(value, fields)
    : (fields.strings('extra_hosts') ?? []).map(hostPair).filter((pair) => pair !== undefined);
  return pairs.map(([host, address]) => `${host}:${/^\[.+\]$/.test(address) ? address.slice(1, -1) : address}`);
}

function hostPairs(value: Dict, fields: Fields): [string, string][] {
  const texts = Object.entries(value).flatMap(([host, address]) =>
    address === null ? [] : [`${host}:${hostAddress(host, address, fields)}`],
  );
  return texts.sort(compareText).map((text) => splitOnce(text, ':') ?? [text, '']);
}

/** The docker CLI formats what is no text with the wrong verb. */
function hostAddress(host: string, address: Value, fields: Fields): string {
  if (typeof address === 'string' || !fields.problems.deviate('extra-hosts-number', [...fields.at('extra_hosts'), host]))
    return printValue(address);
  return `%!s(${address instanceof GoFloat ? 'float64' : typeof address === 'boolean' ? 'bool' : 'int'}=${printValue(address)})`;
}

function hostPair(text: string): [string, string] | undefined {
  const pair = splitOnce(text, '=') ?? splitOnce(text, ':');
  return pair && (splitOnce(`${pair[0]}:${pair[1]}`, ':') ?? pair);
}

function splitOnce(text: string, separator: string): [string, string] | undefined {
  const at = text.indexOf(separator);
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}

function decodeHealthcheck(fields: Fields): Healthcheck | undefined {
  const check = fields.child('healthcheck');
  if (!check) return undefined;
  const test = check.given('test');
  return present<Healthcheck>({
    test: typeof test === 'string' ? ['CMD-SHELL', test] : check.strings('test'),
    timeout: check.duration('timeout'),
    interval: check.duration('interval'),
    retries: check.unsigned('retries'),
    start_period: check.duration('start_period'),
    start_interval: check.duration('start_interval'),
    disable: check.boolean('disable'),
  });
}

function decodeLogging(fields: Fields): Service['logging'] {
  const logging = fields.child('logging');
  return logging && present<NonNullable<Service['logging']>>({ driver: logging.text('driver'), options: logging.pairs('options') });
}

function decodeAttachments(fields: Fields): Record<string, Attachment | null> | undefined {
  const value = fields.given('networks');
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return record((fields.strings('networks') ?? []).map((name) => [name, null]));
  return record(
    fields.members('networks').map(([name, attachment]) => {
      if (isDict(value) && member(value, name) === null) return [name, null];
      return [
        name,
        present<Attachment>({
          aliases: attachment.strings('aliases'),
          ipv4_address: attachment.text('ipv4_address'),
          ipv6_address: attachment.text('ipv6_address'),
          driver_opts: attachment.pairs('driver_opts'),
        }),
      ];
    }),
  );
}

function decodeUlimits(fields: Fields): Record<string, Ulimit> | undefined {
  const limits = fields.child('ulimits');
  if (!limits) return undefined;
  return record(Object.entries(limits.value).map(([name, value]): [string, Ulimit] => [name, decodeUlimit(value, limits, name)]));
}

function decodeUlimit(value: Value, limits: Fields, name: string): Ulimit {
  if (!isDict(value)) return present<Ulimit>({ single: plainInteger(limits, name) });
  const limit = new Fields(value, limits.at(name), limits.problems);
  return present<Ulimit>({ soft: plainInteger(limit, 'soft'), hard: plainInteger(limit, 'hard') });
}

/** A whole number of 64 bits that is written as one, without a point or an exponent. */
function plainInteger(fields: Fields, key: string): Int | undefined {
  const value = fields.value[key];
  const plain = typeof value === 'number' || (typeof value === 'bigint' && value < 2n ** 63n);
  if (plain) return value;
  fields.problems.add(fields.at(key), 'expected a whole number below 2^63, written without a point or an exponent');
  return undefined;
}
