export { AdminToken } from './auth/admin-token.ts';
export type { Authorizer, Subject } from './auth/authorizer.ts';
export { GatewayConfig } from './gateway-config.ts';
export { openApiDocument } from './http/openapi.ts';
export { type GatewayOptions, type RunningGateway, startGateway } from './start-gateway.ts';
