/** The choices of a summary, stated once for the parser, the published schemas and the definition of its rows. */

/** The things that can count once in a statistic, the default first. */
export const summaryWeights = ['tins', 'prices', 'npis'] as const

export type SummaryWeight = (typeof summaryWeights)[number]

export const defaultWeight: SummaryWeight = summaryWeights[0]

/** The dimensions that can divide rows further than plan, code, terms and place of service, in the order of columns. */
export const summaryDimensions = ['state', 'zip', 'taxonomy', 'network', 'npi', 'tin'] as const

export type SummaryDimension = (typeof summaryDimensions)[number]

/** The options of a summary in canonical form: dimensions in the order above, no option that means the default. */
export interface SummaryRequest {
  readonly weight: SummaryWeight
  readonly by: readonly SummaryDimension[]
  /** True if doubtful prices are in the statistics. */
  readonly includeDoubtful?: boolean
  /** True if providers are counted. */
  readonly countProviders?: boolean
}
