/** The choices of a summary, stated once for the parser, the published schemas and the definition of its rows. */

/** The things that can count once in a statistic, the default first. */
export const summaryWeights = ['tins', 'prices', 'npis'] as const

export type SummaryWeight = (typeof summaryWeights)[number]

export const defaultWeight: SummaryWeight = summaryWeights[0]

/** The dimensions that can divide rows further than plan, code, terms and place of service, in the order of columns. */
export const summaryDimensions = ['state', 'zip', 'taxonomy', 'network', 'npi', 'tin'] as const

export type SummaryDimension = (typeof summaryDimensions)[number]

/** The ends of an order by medians from which a summary can take its first rows. */
export const summaryOrders = ['highest', 'lowest'] as const

export type SummaryOrder = (typeof summaryOrders)[number]

/** Most ranks that a summary gives out for each code, plan and class. */
export const maxRanks = 1000

/** The options of a summary in canonical form: dimensions in the order above, no option that means the default. */
export interface SummaryRequest {
  readonly weight: SummaryWeight
  readonly by: readonly SummaryDimension[]
  /** True if doubtful prices are in the statistics. */
  readonly includeDoubtful?: boolean
  /** True if providers are counted. */
  readonly countProviders?: boolean
  /** The rows to which it is cut; it has all if this is absent. */
  readonly first?: FirstRows
}

/** The rows with the first `limit` ranks by their medians, and those that share the last of these. */
export interface FirstRows {
  readonly order: SummaryOrder
  readonly limit: number
}
