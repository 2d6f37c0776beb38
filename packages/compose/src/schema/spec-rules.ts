import { composeFile } from './compose-rules.ts';
import { boolean, either, type Field, list, map, type ObjectRule, object, type Rule, string } from './rule.ts';
import { specificationKeys } from './swarm-keys.ts';

/** An object rule with more keys. */
function extend(rule: ObjectRule, fields: Readonly<Record<string, Rule | Field>>, alsoKnown: readonly string[] = []): ObjectRule {
  return object({ ...rule.fields, ...fields }, { required: rule.required, alsoKnown });
}

function objectOf(section: keyof typeof composeFile.fields): ObjectRule {
  const rule = composeFile.fields[section]?.rule;
  const member = rule?.kind === 'map' ? rule.member : undefined;
  const found = member?.kind === 'either' ? member.options.find((option) => option.rule.kind === 'object')?.rule : member;
  if (found?.kind !== 'object') throw new TypeError(`${section} has no rule for its members`);
  return found;
}

const sectionOf = (member: Rule) => map(member, /^[a-zA-Z0-9._-]+$/);
const orNothing = (rule: Rule) => either(rule, { kind: 'null' });
const strings = list(string);

const pool = object({ subnet: string, gateway: string, ip_range: string, aux_addresses: map(string) });
const network = extend(objectOf('networks'), {
  enable_ipv6: boolean,
  ipam: object({ driver: string, config: list(pool, false) }),
});
const service = extend(objectOf('services'), { dns_opt: strings, group_add: strings }, ['extends', ...specificationKeys]);

/** A document of the compose specification once it is in long forms and what a swarm lacks is taken out. */
export const specFile = extend(
  composeFile,
  {
    services: sectionOf(service),
    networks: sectionOf(orNothing(network)),
    volumes: sectionOf(orNothing(extend(objectOf('volumes'), {}))),
    secrets: sectionOf(extend(objectOf('secrets'), {}, ['environment'])),
    configs: sectionOf(extend(objectOf('configs'), {}, ['content', 'environment'])),
  },
  ['include', 'name'],
);
