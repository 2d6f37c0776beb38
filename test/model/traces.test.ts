import { it } from 'vitest';
import './sim/approval-traces.ts';
import './sim/holder-traces.ts';
import './sim/intent-traces.ts';
import './sim/rule-traces.ts';
import { playTrace, traceNames } from './sim/scene.ts';
import './sim/sweep-traces.ts';
import './sim/traces.ts';
import { installVirtualTime } from './sim/virtual-time.ts';

installVirtualTime();

it.each(traceNames())('%s', playTrace);
