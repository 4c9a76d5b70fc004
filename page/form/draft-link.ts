import type { SearchRequest } from '../../client/api.ts'
import type { Draft } from './draft.ts'
import { listFields } from './list-fields.ts'

/** The start of a fragment that links to the form with a search filled in. */
const start = '#/?'

/** Writes the fragment that opens the form with a search filled in. Opening it does not start the search. */
export function writeDraftLink({ fee_schedules, billing_codes, providers, as_of, ...request }: SearchRequest): string {
  const lists = { ...request, codes: billing_codes, ...providers }
  const link = new URLSearchParams()
  for (const one of fee_schedules) for (const [name, text] of Object.entries(one)) link.append(name, text)
  for (const { name } of listFields) if (lists[name]) link.append(name, lists[name].join(' '))
  if (as_of !== undefined) link.append('as_of', as_of)
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
  const lists = Object.fromEntries(listFields.map(({ name }) => [name, given.get(name) ?? '']))
  return { ...lists, feeSchedules: [...feeSchedules, ...ofIds], asOf: given.get('as_of') ?? '' }
}
