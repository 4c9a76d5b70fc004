import type { ToolSession } from './session.ts'
import type { Tool } from './tool.ts'
import { compareSummaries } from './tools/compare-summaries.ts'
import { findCodes } from './tools/find-codes.ts'
import { findPlans } from './tools/find-plans.ts'
import { findProviders } from './tools/find-providers.ts'
import { getSearch } from './tools/get-search.ts'
import { readRows } from './tools/read-rows.ts'
import { startSearch } from './tools/start-search.ts'
import { summariseRates } from './tools/summarise-rates.ts'

/** The tools of a server, in the order in which a question needs them. */
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

/**
 * Lists the tools that can answer: without a month of NPPES, `find_providers` cannot. The first entry of the fee
 * schedules costs one call, and says whether searches have places of providers. If the service does not answer, all
 * tools are offered: each says itself why it fails.
 */
export async function listOfferedTools({ calls }: ToolSession): Promise<readonly Tool[]> {
  const { body } = await calls.transport
    .call('list-fee-schedules', { query: { limit: 1 } })
    .catch(() => ({ body: undefined }))
  const lacksProviders = body !== undefined && !body.provider_lists.includes('states')
  return tools.filter(({ name }) => name !== 'find_providers' || !lacksProviders)
}
