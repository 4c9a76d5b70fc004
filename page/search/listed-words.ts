import type { SearchListItem } from '../../client/api.ts'
import { listPayers, long, titleSearch } from '../../client/search-title.ts'
import { describeFailure } from '../failures.ts'
import { formatMoment } from '../formats.ts'

export type Status = SearchListItem['status']

export const statusNames: Readonly<Record<Status, string>> = {
  queued: 'Queued',
  processing: 'Processing',
  completed: 'Completed',
  failed: 'Failed',
}

export const statuses = ['queued', 'processing', 'completed', 'failed'] as const satisfies readonly Status[]

/** Returns the words of a search in the list. */
export const describeListed = (search: SearchListItem) => ({
  title: titleSearch(search, long),
  state: search.status === 'failed' ? describeFailure(search.error).title : statusNames[search.status],
  created: formatMoment(search.created_at),
  ...listPayers(search),
})

/** True if a search in the list shows all words of a text, in any case. */
export function hasWords(search: SearchListItem, text: string): boolean {
  const { title, state, created, payers } = describeListed(search)
  const shown = [...title, state, created, ...payers].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .every((word) => shown.includes(word))
}
