import type { Logger } from '@hivekeep/runtime';
import { BUS, type Bus } from '@hivekeep/runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApplicationsController } from './api/applications.controller.ts';
import { EventsController } from './api/events.controller.ts';
import { HealthController } from './api/health.controller.ts';
import { PruneController } from './api/prune.controller.ts';
import { Reach } from './api/reach.ts';
import { StatusController } from './api/status.controller.ts';
import { AuthGuard } from './auth/auth.guard.ts';
import type { Authorizer } from './auth/authorizer.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { AUTHORIZER, CONFIG, LOGGER, VERSION } from './tokens.ts';
import { Catalog } from './views/catalog.ts';

/** What the gateway is made of, given from outside. */
export interface GatewayParts {
  readonly bus: Bus;
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly authorizer: Authorizer;
  readonly catalog: Catalog;
  readonly version: string;
}

@Module({})
class GatewayModule {}

/** The gateway's module over the given parts. */
export function gatewayModule(parts: GatewayParts): DynamicModule {
  return {
    module: GatewayModule,
    controllers: [StatusController, ApplicationsController, PruneController, EventsController, HealthController],
    providers: [
      { provide: BUS, useValue: parts.bus },
      { provide: CONFIG, useValue: parts.config },
      { provide: LOGGER, useValue: parts.logger },
      { provide: AUTHORIZER, useValue: parts.authorizer },
      { provide: VERSION, useValue: parts.version },
      { provide: Catalog, useValue: parts.catalog },
      { provide: APP_GUARD, useClass: AuthGuard },
      Reach,
    ],
  };
}
