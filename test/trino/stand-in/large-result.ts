import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'

/** Number of prices of each code, and of the provider groups with which a price is agreed. */
export const prices = 1_000
export const groups = 5

/** Number of NPIs of each of a code's provider groups, by the code. */
export const npisOfCodes = { '99213': 100, '99214': 1_000 } as const

/** Returns the number of rows that the file has for a code. */
export const countRows = (code: keyof typeof npisOfCodes): number => prices * groups * npisOfCodes[code]

/**
 * Builds a small file with many rows: half a million for the first code and five million for the second. The codes
 * differ only in the size of their provider groups, so that a search builds as many prices for both.
 */
export function buildLargeResult(): object {
  const codes = Object.entries(npisOfCodes).map(([billing_code, npis], position) => {
    const ids = Array.from({ length: groups }, (_, group) => position * groups + group)
    return { billing_code, npis, ids }
  })
  const references = codes.flatMap(({ npis, ids }) =>
    ids.map((id) => {
      const npi = Array.from({ length: npis }, (_, index) => 1_500_000_000 + id * 1_000 + index)
      const tin = { type: 'ein', value: `20-${1_000_000 + id}`, business_name: `Clinic ${id}` }
      return buildReference({ provider_group_id: id, provider_groups: [buildGroup({ npi, tin })] })
    }),
  )
  const items = codes.map(({ billing_code, ids }) => {
    const pricesOfCode = Array.from({ length: prices }, (_, index) => buildPrice({ negotiated_rate: 50 + index / 4 }))
    return buildItem({ billing_code, references: ids, prices: pricesOfCode })
  })
  return buildFile({ provider_references: references, in_network: items })
}
