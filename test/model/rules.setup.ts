import type * as Planner from '@hivekeep/planner';
import type * as Swarm from '@hivekeep/swarm';
import { vi } from 'vitest';
import { plannerWithoutRules } from './sim/planner-without-rules.ts';
import { swarmWithoutRules } from './sim/swarm-without-rules.ts';

vi.mock('@hivekeep/planner', async (original) => plannerWithoutRules(await original<typeof Planner>()));
vi.mock('@hivekeep/swarm', async (original) => swarmWithoutRules(await original<typeof Swarm>()));
