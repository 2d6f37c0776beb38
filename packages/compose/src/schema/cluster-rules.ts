import { parseSize } from '../decode/size.ts';
import { any, either, type Field, integer, list, map, nothing, object, type Rule, string } from './rule.ts';
import { listOrMap } from './service-rules.ts';

const size: Rule = {
  kind: 'string',
  format: (text) => (parseSize(text) === undefined ? `expected a size such as 512m or 1.5GiB, found ${JSON.stringify(text)}` : undefined),
};
const orNothing = (rule: Rule) => either(rule, nothing);
const open = (fields: Readonly<Record<string, Rule | Field>>) => object(fields, { openSince: 0 });
const looseOpen = (fields: Readonly<Record<string, Rule | Field>>) => orNothing(open(fields));

/** `x-cluster-spec` of a volume; what is no text or mapping of its format is refused, other keys are not read. */
export const clusterSpec = cluster(open, { text: string, size, list: (item) => list(item, false), segments: listOrMap });

/** As versions before 3.10 have it: nothing is a value too, and a size may be a number. */
export const looseClusterSpec = cluster(looseOpen, {
  text: orNothing(string),
  size: either(size, integer, nothing),
  list: (item) => orNothing(list(item, false)),
  segments: either(map(any), list(string, false), nothing),
});

interface Parts {
  readonly text: Rule;
  readonly size: Rule;
  readonly segments: Rule;
  list(item: Rule): Rule;
}

function cluster(members: (fields: Readonly<Record<string, Rule | Field>>) => Rule, parts: Parts): Rule {
  const topology = parts.list(members({ segments: parts.segments }));
  return members({
    group: parts.text,
    access_mode: members({
      scope: parts.text,
      sharing: parts.text,
      block_volume: members({}),
      mount_volume: members({ fs_type: parts.text, mount_flags: parts.list(string) }),
    }),
    accessibility_requirements: members({ requisite: topology, preferred: topology }),
    capacity_range: members({ required_bytes: parts.size, limit_bytes: parts.size }),
    availability: parts.text,
    secrets: orNothing(list(looseOpen({ key: orNothing(string), secret: orNothing(string) }), false)),
  });
}
