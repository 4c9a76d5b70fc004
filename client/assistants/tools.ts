import type { Tool } from './tool.ts'
import { compareSummaries } from './tools/compare-summaries.ts'
import { findCodes } from './tools/find-codes.ts'
import { findPlans } from './tools/find-plans.ts'
import { getSearch } from './tools/get-search.ts'
import { readRows } from './tools/read-rows.ts'
import { startSearch } from './tools/start-search.ts'
import { summariseRates } from './tools/summarise-rates.ts'

/** The tools of a server, in the order in which a question needs them. */
export const tools: readonly Tool[] = [
  findPlans,
  findCodes,
  summariseRates,
  startSearch,
  getSearch,
  readRows,
  compareSummaries,
]
