import { readFileSync } from 'node:fs'
import type { SearchRequestBody } from '../../contract/search-api.ts'
import { sampleFiles } from '../../local/samples/sample-data.ts'

/** A search of the sample data, and the number of rows it must find. */
export interface KnownSearch {
  readonly body: SearchRequestBody
  readonly rows: number
}

const plan = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

/** CPT codes, which are stored as published. */
const codes = ['99203', '99213', '99214', '27447']

interface SampleFile {
  readonly issuer_name: string
  readonly plan_name: string
  readonly provider_references: readonly {
    readonly provider_group_id: number
    readonly provider_groups: readonly { readonly npi: readonly number[] }[]
  }[]
  readonly in_network: readonly {
    readonly billing_code_type: string
    readonly billing_code: string
    readonly negotiated_rates: readonly {
      readonly provider_references: readonly number[]
      readonly negotiated_prices: readonly unknown[]
    }[]
  }[]
}

/** Twenty small searches, each for a different provider, with row counts from the samples' own JSON. */
export function listKnownSearches(): readonly KnownSearch[] {
  const files = sampleFiles
    .map((path): SampleFile => JSON.parse(readFileSync(path, 'utf8')))
    .filter((file) => file.issuer_name === plan.payer && file.plan_name === plan.plan)
  const npis = files.flatMap((file) =>
    file.provider_references.flatMap((reference) => reference.provider_groups.flatMap((group) => group.npi)),
  )
  const known = [...new Set(npis)].map((npi) => ({
    body: { npis: [npi], billing_codes: codes, fee_schedules: [plan] },
    rows: files.reduce((sum, file) => sum + countRows(file, npi), 0),
  }))
  return known.filter(({ rows }) => rows > 0).slice(0, 20)
}

function countRows(file: SampleFile, npi: number): number {
  // How many TINs of a reference have the NPI.
  const times = new Map(
    file.provider_references.map(({ provider_group_id: id, provider_groups: groups }) => [
      id,
      groups.filter((group) => group.npi.includes(npi)).length,
    ]),
  )
  const items = file.in_network.filter((item) => item.billing_code_type === 'CPT' && codes.includes(item.billing_code))
  return items
    .flatMap((item) => item.negotiated_rates)
    .reduce((sum, rate) => {
      const found = rate.provider_references.reduce((all, id) => all + (times.get(id) ?? 0), 0)
      return sum + found * rate.negotiated_prices.length
    }, 0)
}
