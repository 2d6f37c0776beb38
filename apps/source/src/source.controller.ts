import { type RequestOf, sourceCalls } from '@hivekeep/contracts';
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
    const refused = await this.#appSet.refused(
      swarm,
      applications.map(({ application }) => application),
    );
    const allowed = applications.filter(({ application }) => !refused.has(application));
    const built = await this.#builder.build(swarm, allowed, signal);
    const errors = [...refused].map(([{ name: application }, error]) => ({ application, error: error.toWire() }));
    return { results: [...built, ...errors] };
  }

  @Handle(sourceCalls.secretContents)
  async secretContents(request: RequestOf<typeof sourceCalls.secretContents>, { swarm }: CallContext) {
    const { application, commit, names, publicKey } = request;
    const refused = (await this.#appSet.refused(swarm, [application])).get(application);
    if (refused) throw refused;
    const contents = await this.#builder.secretContents(swarm, application, commit, names);
    return { sealed: Object.fromEntries([...contents].map(([name, bytes]) => [name, sealTo(publicKey, bytes)])) };
  }
}
