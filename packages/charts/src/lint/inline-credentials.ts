import type { Issue } from '@hivekeep/contracts';
import { GoMap, type GoValue, keyText } from '@hivekeep/goyaml';
import { memberOf, sectionOf } from '../manifest/manifest-view.ts';

const CREDENTIAL_NAME = /password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
/** The value is somewhere else: a variable of the container, or a mounted secret. */
const ELSEWHERE = /^\$\$?(\w+|\{\w+\})$|^\/run\/secrets\//;

/** Warns of variables that look like credentials: whoever may inspect a service reads them. No value is ever shown. */
export function credentialWarnings(document: GoMap): Issue[] {
  return sectionOf(document, 'services').flatMap(([service, entry]) =>
    variables(memberOf(entry, 'environment')).flatMap(([name, value]): Issue[] => {
      if (!isCredential(name, value)) return [];
      const message = `${name} looks like a credential; mount a secret and name its file instead`;
      return [{ path: `services.${service}.environment.${name}`, rule: 'inline-credential', message }];
    }),
  );
}

function isCredential(name: string, value: string): boolean {
  if (ELSEWHERE.test(value)) return false;
  if (PRIVATE_KEY.test(value)) return true;
  return !name.toUpperCase().endsWith('_FILE') && CREDENTIAL_NAME.test(name);
}

function variables(environment: GoValue | undefined): [name: string, value: string][] {
  if (environment instanceof GoMap) return [...environment].map(([name, value]) => [keyText(name), typeof value === 'string' ? value : '']);
  const lines = Array.isArray(environment) ? environment.filter((line) => typeof line === 'string') : [];
  return lines.filter((line) => line.includes('=')).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
}
