import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'

/** Numbers of rows that the file has for each of its codes, by the code. */
export const rowsOfCodes = { '99213': 500_000, '99214': 5_000_000 } as const

/** Numbers of provider groups, which all prices have, and of NPIs of each. */
export const npisOfGroup = 1_000
export const groups = 5

/** Builds a small file with many rows: each price is agreed with thousands of providers. */
export function buildLargeResult(): object {
  const references = Array.from({ length: groups }, (_, group) => {
    const first = 1_500_000_000 + group * npisOfGroup
    const npi = Array.from({ length: npisOfGroup }, (_npi, index) => first + index)
    const tin = { type: 'ein', value: `20-${1_000_000 + group}`, business_name: `Clinic ${group}` }
    return buildReference({ provider_group_id: group, provider_groups: [buildGroup({ npi, tin })] })
  })
  const items = Object.entries(rowsOfCodes).map(([billing_code, rows]) =>
    buildItem({
      billing_code,
      references: references.map((_, group) => group),
      prices: Array.from({ length: rows / (groups * npisOfGroup) }, (_, index) =>
        buildPrice({ negotiated_rate: 50 + index / 4 }),
      ),
    }),
  )
  return buildFile({ provider_references: references, in_network: items })
}
