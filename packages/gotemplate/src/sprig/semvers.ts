import { contextual, type FunctionTable, fn } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { parseConstraint, satisfies } from '../semver/constraint.ts';
import { parseVersion, type Version, VersionPointer } from '../semver/version.ts';

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (typeof version === 'string') throw new CallFailure(version);
  return version;
}

export const semverFunctions: FunctionTable = {
  semver: fn(['string'], (text) => new VersionPointer(versionOf(text))),
  semverCompare: contextual(['string', 'string'], ({ meter }, text, version) => {
    meter.charge(4 * Math.min(text.length, 512) + 20);
    const constraint = parseConstraint(text);
    if (typeof constraint === 'string') throw new CallFailure(constraint);
    return satisfies(constraint, versionOf(version));
  }),
};
