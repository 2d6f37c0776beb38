import { type Action, actions } from '@hivekeep/contracts';
import type { AdminToken } from './admin-token.ts';

/** Who asks. */
export interface Subject {
  readonly name: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, string>>;
}

/** The one place that decides who may do what. Throws when it cannot tell; the caller then refuses. */
export interface Authorizer {
  /** Whether it can decide at all; a gateway that is not ready says so on `/readyz`. */
  ready(): Promise<boolean>;
  /** The subject of an `Authorization` header's value; undefined when it proves nothing. */
  authenticate(authorization: string | undefined): Promise<Subject | undefined>;
  /** `application` is empty when the action concerns none. */
  authorize(subject: Subject, action: Action, application: string): Promise<boolean>;
  /** Those of `names` the subject may see, in order. */
  visible(subject: Subject, action: Action, names: readonly string[]): Promise<string[]>;
}

/** One shared bearer token whose bearer may do everything. */
export class AdminAuthorizer implements Authorizer {
  readonly #token: AdminToken;

  constructor(token: AdminToken) {
    this.#token = token;
  }

  async ready(): Promise<boolean> {
    return true;
  }

  async authenticate(authorization: string | undefined): Promise<Subject | undefined> {
    const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    return token !== undefined && this.#token.matches(token) ? { name: 'admin', groups: [], extra: {} } : undefined;
  }

  async authorize(_subject: Subject, action: Action): Promise<boolean> {
    return actions.includes(action);
  }

  async visible(_subject: Subject, action: Action, names: readonly string[]): Promise<string[]> {
    return actions.includes(action) ? [...names] : [];
  }
}
