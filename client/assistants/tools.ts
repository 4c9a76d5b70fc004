import type { Tool } from './tool.ts'
import { compareSummaries } from './tools/compare-summaries.ts'
import { findCodes } from './tools/find-codes.ts'
import { findPlans } from './tools/find-plans.ts'
import { findProviders } from './tools/find-providers.ts'
import { getSearch } from './tools/get-search.ts'
import { readRows } from './tools/read-rows.ts'
import { startSearch } from './tools/start-search.ts'
import { summariseRates } from './tools/summarise-rates.ts'

/**
 * The tools of a server, in the order in which a question needs them. All are always listed: one whose data is not
 * loaded says so when it is called.
 */
export const tools: readonly Tool[] = [
  findPlans,
  findCodes,
  findProviders,
  summariseRates,
  startSearch,
  getSearch,
  readRows,
  compareSummaries,
]
