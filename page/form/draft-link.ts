import type { SearchRequest } from '../../client/api.ts'
import type { Draft } from './draft.ts'

/** The start of a fragment that links to the form with a search filled in. */
const start = '#/?'

/** Writes the fragment that opens the form with a search filled in. Opening it does not start the search. */
export function writeDraftLink({ fee_schedules, npis = [], billing_codes = [], tins = [] }: SearchRequest): string {
  const link = new URLSearchParams()
  for (const one of fee_schedules) for (const [name, text] of Object.entries(one)) link.append(name, text)
  for (const [name, values] of Object.entries({ npis, codes: billing_codes, tins }))
    if (values.length > 0) link.append(name, values.join(' '))
  return `${start}${link}`
}

/** Reads such a fragment; undefined for others. The form checks its texts like typed ones. */
export function readDraftLink(fragment: string): Draft | undefined {
  if (!fragment.startsWith(start)) return undefined
  const given = new URLSearchParams(fragment.slice(start.length))
  const payers = given.getAll('payer')
  const feeSchedules = given.getAll('plan').flatMap((plan, index) => {
    const payer = payers[index]
    return payer === undefined ? [] : [{ payer, plan }]
  })
  const ofIds = given.getAll('plan_id').map((plan_id) => ({ plan_id }))
  const [npis, codes, tins] = ['npis', 'codes', 'tins'].map((name) => given.get(name) ?? '')
  return { feeSchedules: [...feeSchedules, ...ofIds], npis: npis ?? '', codes: codes ?? '', tins: tins ?? '' }
}
