import { checkHistories } from './sim/check-histories.ts';

checkHistories(0, 2);
