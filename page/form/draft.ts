import type { FeeSchedule, PlansOfId, SearchRequest } from '../../client/api.ts'
import { requestLimits, writeLimit } from '../../contract/limits.ts'
import { type ListName, listFields } from './list-fields.ts'

/** The results of a search to start: its rows, its statistics, or both as two searches. */
export const resultChoices = ['rows', 'summary', 'both'] as const

export type ResultChoice = (typeof resultChoices)[number]

/** A plan, or all plans of an id. */
export type Chosen = FeeSchedule | PlansOfId

/** A search that is being edited: the texts of its lists as they were pasted. */
export interface Draft extends Readonly<Partial<Record<ListName, string>>> {
  readonly feeSchedules: readonly Chosen[]
  /** A day, `YYYY-MM-DD`; empty for what is active now. */
  readonly asOf: string
  /** Absent while the size of the search decides. */
  readonly result?: ResultChoice | undefined
}

export const emptyDraft: Draft = { feeSchedules: [], asOf: '' }

/** Adds a word to the text of a list. */
export const addWord = (text: string | undefined, word: string): string =>
  text === undefined || text.trim() === '' ? word : `${text.trimEnd()} ${word}`

/** Returns the request of a draft, for rows, or says what is still missing. */
export function readDraft(draft: Draft): { readonly request: SearchRequest } | { readonly missing: string } {
  if (draft.feeSchedules.length === 0) return { missing: 'Choose at least one fee schedule.' }
  if (draft.feeSchedules.length > requestLimits.fee_schedules)
    return { missing: `Choose at most ${requestLimits.fee_schedules} fee schedules.` }
  const lists = listFields.map(({ parse, ...field }) => ({ ...field, ...parse(draft[field.name] ?? '') }))
  if (lists.some(({ unreadable }) => unreadable.length > 0))
    return { missing: 'Correct or remove what could not be read.' }
  const filled = lists.filter(({ values }) => values.length > 0)
  if (filled.length === 0)
    return { missing: 'Enter at least one NPI, billing code, TIN, state, ZIP code or specialty.' }
  const long = filled.find(({ values, limit }) => values.length > limit)
  if (long) return { missing: `Enter at most ${writeLimit(long.limit)} ${long.nouns[1]}.` }
  const { npis, codes, tins, ...providers }: Partial<Record<ListName, readonly string[]>> = Object.fromEntries(
    filled.map(({ name, values }) => [name, values]),
  )
  return {
    request: {
      fee_schedules: draft.feeSchedules,
      ...(npis && { npis: npis.map(Number) }),
      ...(codes && { billing_codes: codes }),
      ...(tins && { tins }),
      ...(Object.keys(providers).length > 0 && { providers }),
      ...(draft.asOf !== '' && { as_of: draft.asOf }),
    },
  }
}
