import type { FeeSchedule, PlansOfId, SearchRequest } from '../../client/api.ts'
import { collectRequestedLists, listNames } from '../../contract/filters.ts'
import { maxFeeSchedules, writeLimit } from '../../contract/limits.ts'
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
  if (draft.feeSchedules.length > maxFeeSchedules)
    return { missing: `Choose at most ${maxFeeSchedules} fee schedules.` }
  const lists = listFields.map(({ parse, ...field }) => ({ ...field, ...parse(draft[field.name] ?? '') }))
  if (lists.some(({ unreadable }) => unreadable.length > 0))
    return { missing: 'Correct or remove what could not be read.' }
  const filled = lists.filter(({ values }) => values.length > 0)
  if (filled.length === 0)
    return { missing: `Enter a value in at least one list: ${listNames(listFields.map(({ label }) => label))}.` }
  const long = filled.find(({ values, filter }) => values.length > filter.limit)
  if (long) return { missing: `Enter at most ${writeLimit(long.filter.limit)} ${long.filter.nouns[1]}.` }
  return {
    request: {
      fee_schedules: draft.feeSchedules,
      ...collectRequestedLists((filter) => {
        const values = filled.find((field) => field.filter === filter)?.values
        return filter.kind === 'npi' ? values?.map(Number) : values
      }),
      ...(draft.asOf !== '' && { as_of: draft.asOf }),
    },
  }
}
