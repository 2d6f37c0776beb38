import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { BUS, type ServiceBus } from './bus.ts';
import { Health } from './health.ts';
import type { Logger } from './logger.ts';
import { ServingSwitch } from './serving-switch.ts';

/** Injection token of the service's logger. */
export const LOGGER = Symbol('hivekeep.logger');

export interface RuntimeParts {
  readonly bus: ServiceBus;
  readonly logger: Logger;
  readonly health: Health;
  readonly serving: ServingSwitch;
}

@Module({})
class RuntimeModule {}

/** A service's module with what the runtime gives to every provider in it. */
export function runtimeModule(service: Type<unknown> | DynamicModule, { bus, logger, health, serving }: RuntimeParts): DynamicModule {
  const providers = [
    { provide: BUS, useValue: bus },
    { provide: LOGGER, useValue: logger },
    { provide: Health, useValue: health },
    { provide: ServingSwitch, useValue: serving },
  ];
  return {
    module: RuntimeModule,
    global: true,
    imports: [service],
    providers,
    exports: providers.map(({ provide }) => provide),
  };
}
