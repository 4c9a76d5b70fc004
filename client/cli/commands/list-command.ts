import { searchPages } from '../../../contract/limits.ts'
import { countOf } from '../../../schema/phrases.ts'
import type { SearchListItem } from '../../api.ts'
import { UsageError } from '../../command-line/command-errors.ts'
import { readNumber } from '../../command-line/parse-options.ts'
import { formatBytes, formatRows, formatTable } from '../../command-line/table.ts'
import { joinTitle, listPayers, long, titleSearch, writeUnlisted } from '../../search-title.ts'
import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { readArguments } from '../options.ts'

const statuses = ['queued', 'processing', 'completed', 'failed'] as const satisfies readonly SearchListItem['status'][]

export const listCommand: Command = {
  name: 'list',
  summary: 'list the searches of your organization, the newest first',
  usage: `
Lists the searches of your organization, the newest first.

Usage: rate-search list [--status <status>] [--limit <n>]

  --status <status> only searches that are ${statuses.join(', ')}
  --limit <n>       at most n searches (default: ${searchPages.default})
${sharedUsage}

Examples:
  rate-search list
  rate-search list --status failed --limit 10 --json
`,
  async run(args, world) {
    const { values } = readArguments(args, {
      status: { type: 'string' },
      limit: { type: 'string', default: String(searchPages.default) },
    })
    const limit = readNumber('--limit', values.limit, 1, 999_999)
    const filter = readStatus(values.status)
    await withSession(world, values, async (session) => {
      const searches: SearchListItem[] = []
      const query = { ...filter, pageSize: Math.min(searchPages.max, limit) }
      for await (const search of session.client.list(query, { signal: world.signal })) {
        searches.push(search)
        session.progress.show(() => countOf(searches.length, 'search', 'searches'))
        if (searches.length === limit) break
      }
      printResult(session, { searches }, describeSearches(searches))
    })
  },
}

function readStatus(text: string | undefined): { readonly status?: SearchListItem['status'] } {
  if (text === undefined) return {}
  const status = statuses.find((each) => each === text)
  if (status === undefined) throw new UsageError(`--status must be one of ${statuses.join(', ')}, not "${text}"`)
  return { status }
}

const describeSearches = (searches: readonly SearchListItem[]) =>
  formatTable(
    ['SEARCH', 'STATUS', 'CREATED', 'ROWS', 'SIZE', 'PAYER', 'TITLE'],
    searches.map((search) => [
      search.job_id,
      search.status === 'failed' ? `failed: ${search.error.split(':')[0]}` : search.status,
      search.created_at,
      ...writeSize(search),
      writePayers(search),
      joinTitle(titleSearch(search, long)),
    ]),
  )

/** Returns the number of rows of a result and its size, as texts. */
function writeSize(search: SearchListItem): readonly [rows: string, size: string] {
  if (search.status !== 'completed') return ['-', '-']
  return [formatRows(search), formatBytes(search.bytes)]
}

function writePayers(search: SearchListItem): string {
  const { payers, unlisted } = listPayers(search)
  return [payers.join(', '), ...(unlisted > 0 ? [writeUnlisted(unlisted)] : [])].filter(Boolean).join(' ') || '-'
}
