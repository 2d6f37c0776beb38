export { compareResult, type Verdict } from './compose/compare-result.ts';
export { convertRecorded, type RecordedCase, readCorpusCases, readPackedCases } from './compose/recorded-case.ts';
