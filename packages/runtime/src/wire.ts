/** Header names are lower case; values are one line of ASCII. */
export type WireHeaders = Readonly<Record<string, string>>;

export interface WireMessage {
  readonly subject: string;
  readonly headers: WireHeaders;
  readonly body: Uint8Array;
}

export interface WireRequest extends WireMessage {
  /** Sends the one reply; does nothing when the caller or the connection is gone. */
  respond(headers: WireHeaders, body: Uint8Array): void;
}

export interface WireRequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface WireSubscription {
  /** Takes no new request; those already received are still delivered. */
  close(): Promise<void>;
}

/**
 * What a transport must do to carry calls. Errors are `bus/no-answer` (nobody subscribed, told at once), `bus/timeout`,
 * `bus/unavailable` (no connection), `bus/too-large`, `auth/forbidden` and `cancelled` (the signal).
 */
export interface Wire {
  /** The largest body one message may have, in bytes. */
  readonly maxBytes: number;
  readonly connected: boolean;
  request(subject: string, headers: WireHeaders, body: Uint8Array, options: WireRequestOptions): Promise<WireMessage>;
  /** `*` stands for one token. One member of a queue gets each request. Resolves when the transport has taken the subscription. */
  subscribe(subject: string, queue: string, deliver: (request: WireRequest) => void): Promise<WireSubscription>;
}
