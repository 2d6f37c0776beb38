export { compareResult, type Verdict } from './compose/compare-result.ts';
export { convertRecorded, type RecordedCase, readCorpusCases, readPackedCases } from './compose/recorded-case.ts';
export { buildOracle, hasGo } from './gotemplate/oracle.ts';
export { measureSpeed } from './gotemplate/speed.ts';
