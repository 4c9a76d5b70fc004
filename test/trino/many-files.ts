import { buildFile, buildGroup, buildItem, buildPrice } from '../builders/in-network-builder.ts'

/** Numbers of files of the plans whose searches are counted: a small payer, a median one and a large one. */
export const sourceCounts = [2, 10, 84]

export const manyFilesPlan = (count: number) => ({ payer: 'Many Files Health', plan: `Plan of ${count} files` })

/** An NPI and a code of every file. */
export const manyFilesNpi = 1000300000
export const manyFilesCode = '99213'

/** Builds the small files of a plan, each with different prices and NPIs, so that each is a source of its own. */
export function buildManyFiles(count: number): readonly object[] {
  const { payer, plan } = manyFilesPlan(count)
  return Array.from({ length: count }, (_, index) => {
    const group = buildGroup({ npi: [manyFilesNpi, manyFilesNpi + count * 100 + index] })
    const prices = [buildPrice({ negotiated_rate: count * 1000 + index })]
    const rate = { provider_groups: [group], negotiated_prices: prices }
    return buildFile({
      reporting_entity_name: payer,
      issuer_name: payer,
      plan_name: plan,
      in_network: [
        buildItem({ billing_code: manyFilesCode, negotiated_rates: [rate] }),
        buildItem({ billing_code: '99203', negotiated_rates: [rate] }),
      ],
    })
  })
}
