/**
 * Whether the server answers at `url` and, from its second time on, whether swarm's DNS names it. Swarm enters what has just become
 * well, and never does when its leader changes in that moment (moby #35508): such a server runs, and no service finds it. It is
 * replaced. `mark` is a file that goes with the container; `hosts` is its hosts file, which has its own addresses. The dot after the
 * name: to one without any, busybox adds the machine's search domains, and asks for nothing else.
 */
export function natsHealth({ url, hosts, mark }: Readonly<Record<'url' | 'hosts' | 'mark', string>>): string[] {
  const script = [
    `wget -q -O /dev/null "${url}" || { echo "the server does not answer"; exit 1; }`,
    `[ -e ${mark} ] || { : >${mark}; exit 0; }`,
    `own=$(grep -wF "$(hostname)" ${hosts} | cut -f1)`,
    `nslookup nats. | grep -qwF "$own" || { echo "the name nats does not lead to $own"; exit 1; }`,
  ];
  return ['sh', '-c', script.join('; ')];
}
