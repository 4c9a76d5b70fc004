import type { Search } from '../../api.ts'
import { type Command, commandOnSearch, sharedUsage, withSession } from '../command.ts'
import { readArguments, readJobId } from '../options.ts'
import { formatTable } from '../table.ts'
import { fetchFiles, followSearch, prepareFolder, resultOptions, resultUsage } from './finish-search.ts'

/** The commands that take the id of a search. */

/** URLs are not shown: they are long, and expire. */
function describeSearch(search: Search): string {
  const { job_id, status, created_at } = search
  const more: readonly (readonly [string, string | number])[] =
    search.status === 'completed'
      ? [
          ['completed', search.completed_at],
          ['files', search.download_urls.length],
        ]
      : search.status === 'failed'
        ? [['error', search.error]]
        : []
  return formatTable(
    ['search', job_id],
    [['status', status], ['created', created_at], ...more].map((row) => row.map(String)),
  )
}

export const statusCommand = commandOnSearch(
  'status',
  'show how far a search is',
  'Shows how far a search is. A search that has failed is an answer, not a failure of this command: exit code 0.',
  async (client, jobId, signal) => {
    const search = await client.get(jobId, { signal })
    return [search, describeSearch(search)]
  },
)

export const downloadCommand: Command = {
  name: 'download',
  summary: 'wait for a search and download its files',
  usage: `
Waits until a search has completed and downloads its files. Files that are there are not fetched again, and one that
was cut goes on where it stopped.

Usage: rate-search download <job id> [--out <folder>]

${resultUsage}
${sharedUsage}

Examples:
  rate-search download 2a39443a-064f-4d78-b562-c11683209ccf --out rates/
`,
  async run(args, world) {
    const { values, positionals } = readArguments(args, resultOptions, true)
    const jobId = readJobId(positionals)
    await prepareFolder(values.out)
    await withSession(world, values, async (session) => {
      await followSearch(session, jobId)
      await fetchFiles(session, jobId, values)
    })
  },
}

export const cancelCommand = commandOnSearch(
  'cancel',
  'end a search that has not ended',
  'Ends a search that has not ended; it is then failed. Its query stops.',
  async (client, jobId, signal) => {
    const search = await client.cancel(jobId, { signal })
    return [search, describeSearch(search)]
  },
)

export const deleteCommand = commandOnSearch(
  'delete',
  'delete a search that has ended, with its files',
  'Deletes a search that has ended, with its files at the service. Files that you have downloaded stay.',
  async (client, jobId, signal) => {
    await client.delete(jobId, { signal })
    return [{ job_id: jobId, deleted: true }, `deleted ${jobId}`]
  },
)
