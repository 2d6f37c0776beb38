/** What a release needs that it does not make itself, with defaults applied. Source: the chart format, `requirements.yaml`. */
export interface Requirements {
  readonly networks: readonly RequiredNetwork[];
  readonly secrets: readonly RequiredObject[];
  readonly configs: readonly RequiredObject[];
}

export interface RequiredObject {
  readonly name: string;
  readonly description?: string;
}

export interface RequiredNetwork extends RequiredObject {
  readonly driver: string;
  readonly attachable: boolean;
  /** Whether it is made when it is missing. */
  readonly autoCreate: boolean;
}
