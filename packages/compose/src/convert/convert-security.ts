import type { ConvertContext } from './context.ts';

const FORMS =
  'expected no-new-privileges[:true|false], label=disable or label=user|role|type|level:VALUE, seccomp=unconfined or apparmor=unconfined';
const LABELS: Readonly<Record<string, string>> = { user: 'User', role: 'Role', type: 'Type', level: 'Level' };

/** `security_opt` as the privileges of a container; profiles that are files on a node are no way of a swarm. Engine API 1.44. */
export function convertSecurity(context: ConvertContext, service: string, options: readonly string[]): Record<string, unknown> {
  const privileges: Record<string, unknown> = {};
  const selinux: Record<string, unknown> = {};
  for (const [index, option] of options.entries()) {
    const [, name = option, value = ''] = /^([a-z-]+)[=:](.*)$/s.exec(option) ?? [];
    const [label = '', labelled = ''] = value.split(':');
    if (name === 'no-new-privileges' && ['', 'true', 'false'].includes(value)) privileges.NoNewPrivileges = value !== 'false';
    else if (name === 'seccomp' && value === 'unconfined') privileges.Seccomp = { Mode: 'unconfined' };
    else if (name === 'apparmor' && value === 'unconfined') privileges.AppArmor = { Mode: 'disabled' };
    else if (name === 'label' && value === 'disable') selinux.Disable = true;
    else if (name === 'label' && Object.hasOwn(LABELS, label)) selinux[LABELS[label] ?? ''] = labelled;
    else context.problems.add(['services', service, 'security_opt', index], `${FORMS}, found ${JSON.stringify(option)}`);
  }
  return { ...privileges, ...(Object.keys(selinux).length > 0 && { SELinuxContext: selinux }) };
}
