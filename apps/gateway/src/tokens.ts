/** Injection tokens of the gateway's own parts that are interfaces. */
export const AUTHORIZER = Symbol('gateway.authorizer');
export const CONFIG = Symbol('gateway.config');
export const LOGGER = Symbol('gateway.logger');
export const VERSION = Symbol('gateway.version');
