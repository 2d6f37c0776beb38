import { testImage } from '@hivekeep/testkit';

const sleeper = { image: testImage, command: ['sleep', '100000'], init: true, stop_grace_period: '1s' };

/** A compose file of a small service on every node, with a config (`page.txt`) and a volume there. JSON is YAML. */
export function everywhere(text = 'one'): string {
  const web = {
    ...sleeper,
    environment: { TEXT: text },
    configs: [{ source: 'page', target: '/page' }],
    volumes: ['data:/data'],
    deploy: { mode: 'global' },
  };
  return JSON.stringify({ services: { web }, configs: { page: { file: './page.txt' } }, volumes: { data: {} } });
}

/** A compose file of one small service. */
export function replicated(replicas: number, text = 'one'): string {
  return JSON.stringify({ services: { web: { ...sleeper, environment: { TEXT: text }, deploy: { replicas } } } });
}
