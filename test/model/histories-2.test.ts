import { checkHistories } from './sim/check-histories.ts';

checkHistories(1, 2);
