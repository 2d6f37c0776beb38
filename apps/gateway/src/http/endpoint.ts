import type { Endpoint as Contract } from '@hivekeep/contracts';
import { applyDecorators, HttpCode, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';

/** Metadata keys the guard reads. */
export const ENDPOINT = 'hivekeep.endpoint';
export const PUBLIC = 'hivekeep.public';

/** Binds a method to a declared endpoint: its route, its status and the action the guard asks for. */
export function Endpoint(contract: Contract): MethodDecorator {
  return applyDecorators(
    RequestMapping({ path: contract.path, method: contract.method === 'POST' ? RequestMethod.POST : RequestMethod.GET }),
    HttpCode(contract.status),
    SetMetadata(ENDPOINT, contract),
  );
}

/** A route that answers everyone. */
export const Public = (): MethodDecorator => SetMetadata(PUBLIC, true);
