import { testImage } from '@hivekeep/testkit';

const name = (index: number) => `bench${String(index).padStart(3, '0')}`;

/** Applications of one service each without a task, all in one repository. */
export function smallApplications(count: number): { files: Record<string, string>; applications: string[] } {
  const indexes = Array.from({ length: count }, (_, index) => index + 1);
  return {
    files: Object.fromEntries(indexes.map((index) => [`${name(index)}/compose.yaml`, compose])),
    applications: indexes.map(
      (index) => `  - name: ${name(index)}
    source: {repoURL: REPO, revision: main, compose: {files: [${name(index)}/compose.yaml]}}
    syncPolicy: {automated: true}
    driftDetection: live
    allow: {networks: [host]}
`,
    ),
  };
}

const compose = `services:
  main:
    image: ${testImage}
    command: [sleep, '3600']
    networks: [hostnet]
    deploy: {replicas: 0}
networks: {hostnet: {external: true, name: host}}
`;
