import type { Model } from '../model.ts';
import type { Path, Problems } from '../problems.ts';
import type { RuleId } from '../rules.ts';
import type { Int } from '../value.ts';

const HEALTH_WORDS = new Set(['CMD', 'CMD-SHELL', 'NONE']);
/** Numbers that are modes when they are read as octal, and odd ones as they stand. */
const OCTAL_LOOKING = new Set([400, 440, 444, 600, 640, 644, 660, 664, 666, 700, 740, 744, 750, 755, 770, 775, 777, 1777]);

/** Says what is accepted and surely not meant: a warning, and an error in the dialect `spec`. */
export function reportMistakes(model: Model, problems: Problems): void {
  for (const [name, service] of Object.entries(model.services)) {
    const [word] = service.healthcheck?.test ?? [];
    if (word !== undefined && !HEALTH_WORDS.has(word))
      report(
        model,
        problems,
        'healthcheck-word',
        ['services', name, 'healthcheck', 'test'],
        `the first word is none of CMD, CMD-SHELL and NONE, found ${JSON.stringify(word)}: the engine never runs such a test`,
      );
    reportModes(model, ['services', name, 'secrets'], service.secrets ?? [], problems);
    reportModes(model, ['services', name, 'configs'], service.configs ?? [], problems);
    const mounts = service.volumes?.map(({ tmpfs }) => tmpfs ?? {}) ?? [];
    reportModes(model, ['services', name, 'volumes'], mounts, problems);
  }
}

function reportModes(model: Model, path: readonly string[], modes: readonly { mode?: Int }[], problems: Problems): void {
  for (const [index, { mode }] of modes.entries()) {
    if (mode === undefined || !OCTAL_LOOKING.has(Number(mode))) continue;
    const octal = mode.toString(8).padStart(4, '0');
    report(
      model,
      problems,
      'decimal-mode',
      [...path, index],
      `the mode ${mode} is decimal and means ${octal}; write 0${mode} for the octal number`,
    );
  }
}

function report({ dialect }: Model, problems: Problems, rule: RuleId, path: Path, message: string): void {
  if (dialect === 'spec') problems.add(path, message);
  else problems.warn(rule, path, message);
}
