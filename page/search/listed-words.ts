import type { SearchListItem } from '../../client/api.ts'
import { listPayers, long, titleSearch } from '../../client/search-title.ts'
import { describeFailure } from '../display/failures.ts'
import { formatMoment } from '../display/formats.ts'

export type Status = SearchListItem['status']

export const statusNames: Readonly<Record<Status, string>> = {
  queued: 'Queued',
  processing: 'Processing',
  completed: 'Completed',
  failed: 'Failed',
}

export const statuses = ['queued', 'processing', 'completed', 'failed'] as const satisfies readonly Status[]

/** Returns a search of the list with the words that its row shows. */
export const describeListed = (search: SearchListItem) => ({
  search,
  title: titleSearch(search, long),
  state: search.status === 'failed' ? describeFailure(search.error).title : statusNames[search.status],
  created: formatMoment(search.created_at),
  ...listPayers(search),
})

export type SearchRow = ReturnType<typeof describeListed>

/** True if a search in the list shows all words of a text, in any case. */
export function hasWords({ title, state, created, payers }: SearchRow, text: string): boolean {
  const shown = [...title, state, created, ...payers].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .every((word) => shown.includes(word))
}
