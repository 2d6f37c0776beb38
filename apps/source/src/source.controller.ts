import { HivekeepError, type RequestOf, type Spec, sourceCalls } from '@hivekeep/contracts';
import { type CallContext, Handle, sealTo } from '@hivekeep/runtime';
import { Controller, Inject } from '@nestjs/common';
import { AppSet } from './app-set/app-set.ts';
import { Builder } from './seams/builder.ts';

/** What the source service answers. Who asks is the swarm of the subject, whatever the request says. */
@Controller()
export class SourceController {
  readonly #appSet: AppSet;
  readonly #builder: Builder;

  constructor(@Inject(AppSet) appSet: AppSet, @Inject(Builder) builder: Builder) {
    this.#appSet = appSet;
    this.#builder = builder;
  }

  @Handle(sourceCalls.appSet)
  appSet(request: RequestOf<typeof sourceCalls.appSet>, { swarm }: CallContext) {
    return this.#appSet.answer(swarm, request);
  }

  @Handle(sourceCalls.build)
  async build({ applications }: RequestOf<typeof sourceCalls.build>, { swarm, signal }: CallContext) {
    const declared = await this.#appSet.declared(
      swarm,
      applications.map(({ application }) => application),
    );
    const allowed = applications.filter(({ application }) => declared.has(application));
    const built = new Map((await this.#builder.build(swarm, allowed, signal)).map((result) => [result.application, result]));
    return {
      results: applications.map(
        ({ application }) =>
          built.get(application.name) ?? { application: application.name, error: notDeclared(swarm, application).toWire() },
      ),
    };
  }

  @Handle(sourceCalls.secretContents)
  async secretContents(request: RequestOf<typeof sourceCalls.secretContents>, { swarm }: CallContext) {
    const { application, commit, names, publicKey } = request;
    if (!(await this.#appSet.declared(swarm, [application])).has(application)) throw notDeclared(swarm, application);
    const contents = await this.#builder.secretContents(swarm, application, commit, names);
    return { sealed: Object.fromEntries([...contents].map(([name, bytes]) => [name, sealTo(publicKey, bytes)])) };
  }
}

function notDeclared(swarm: string, { name }: Spec): HivekeepError {
  return new HivekeepError(
    'application/unknown',
    `the app set declares no application ${name} with this repository for the swarm ${swarm}`,
  );
}
