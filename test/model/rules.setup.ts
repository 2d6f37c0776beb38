import type * as Planner from '@hivekeep/planner';
import { vi } from 'vitest';
import { plannerWithoutRules } from './sim/planner-without-rules.ts';

vi.mock('@hivekeep/planner', async (original) => plannerWithoutRules(await original<typeof Planner>()));
