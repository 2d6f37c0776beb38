import { loadBundle } from '../load-bundle.ts';
import { type GivenFlags, readSettings } from '../settings/read-settings.ts';
import { type SettingsName, settings } from '../settings/shapes.ts';

/** How long a service that has ended may hold the process, by a connection it could not close, in ms. */
const LAST_MS = 2_000;

/** Checks the settings first, so that a mistake is told at once, then loads the service's own bundle and runs it to its end. */
export async function runStarted(name: SettingsName, flags: GivenFlags): Promise<void> {
  const checked = readSettings(settings[name], flags, process.env);
  const bundle = (await loadBundle(name)) as { run: (settings: unknown) => Promise<void> }; // each entry under services/ exports it
  try {
    await bundle.run(checked);
  } finally {
    setTimeout(() => process.exit(), LAST_MS).unref();
  }
}
