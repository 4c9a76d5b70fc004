import type { SearchRequest } from '../../client/api.ts'
import { requestedValuesOf } from '../../contract/filters.ts'
import { type Draft, resultChoices } from './draft.ts'
import { listFields } from './list-fields.ts'

/** The start of a fragment that links to the form with a search filled in. */
const start = '#/?'

/** Writes the fragment that opens the form with a search filled in. Opening it does not start the search. */
export function writeDraftLink(request: SearchRequest): string {
  const { fee_schedules, as_of } = request
  const texts = listFields.map(({ name, filter }) => {
    const values = requestedValuesOf(request, filter) ?? []
    return [name, values.join(filter.kind === 'name' ? '\n' : ' ')]
  })
  return writeDraft({
    ...Object.fromEntries(texts),
    feeSchedules: fee_schedules,
    asOf: as_of ?? '',
    ...(request.summary && { result: 'summary' }),
  })
}

/** Writes the fragment of a form as it is, whether its texts can be read or not. An empty form has none. */
export function writeDraft({ feeSchedules, asOf, result, ...texts }: Draft): string {
  const link = new URLSearchParams()
  for (const one of feeSchedules) for (const [name, text] of Object.entries(one)) link.append(name, text)
  for (const { name } of listFields) if (texts[name]) link.append(name, texts[name])
  if (asOf !== '') link.append('as_of', asOf)
  if (result !== undefined) link.append('result', result)
  return link.size === 0 ? '#/' : `${start}${link}`
}

/** Reads such a fragment; undefined for others. The form checks its texts like typed ones. */
export function readDraftLink(fragment: string): Draft | undefined {
  if (!fragment.startsWith(start)) return undefined
  const link = new URLSearchParams(fragment.slice(start.length))
  const payers = link.getAll('payer')
  const feeSchedules = link.getAll('plan').flatMap((plan, index) => {
    const payer = payers[index]
    return payer === undefined ? [] : [{ payer, plan }]
  })
  const plansOfIds = link.getAll('plan_id').map((plan_id) => ({ plan_id }))
  const lists = Object.fromEntries(listFields.map(({ name }) => [name, link.get(name) ?? '']))
  const result = resultChoices.find((choice) => choice === link.get('result'))
  return {
    ...lists,
    feeSchedules: [...feeSchedules, ...plansOfIds],
    asOf: link.get('as_of') ?? '',
    ...(result && { result }),
  }
}
