import type { Search } from '../../api.ts'
import { formatTable } from '../../command-line/table.ts'
import { type Command, commandOnSearch, sharedUsage, withSession } from '../command.ts'
import { readArguments, readJobId } from '../options.ts'
import { fetchFiles, followSearch, prepareFolder, resultOptions, resultUsage } from './finish-search.ts'

/** The commands that take the id of a search. */

/** URLs are not shown: they are long, and expire. */
function describeSearch(search: Search): string {
  const { job_id, status, created_at } = search
  const rows = [['status', status], ['created', created_at], ...describeEnd(search)]
  return formatTable(['search', job_id], rows)
}

function describeEnd(search: Search): readonly (readonly string[])[] {
  if (search.status === 'failed') return [['error', search.error]]
  if (search.status !== 'completed') return []
  return [
    ['completed', search.completed_at],
    ['files', String(search.download_urls.length)],
    ...(search.truncated ? [['truncated', 'yes, the search has more rows than its limit']] : []),
  ]
}

export const statusCommand = commandOnSearch(
  'status',
  'show the status of a search',
  'Shows the status of a search. The exit code is 0 even if the search has failed: the command itself succeeded.',
  async (client, jobId, signal) => {
    const search = await client.get(jobId, { signal })
    return [search, describeSearch(search)]
  },
)

export const downloadCommand: Command = {
  name: 'download',
  summary: 'wait for a search and download its files',
  usage: `
Waits until a search has completed and downloads its files. Complete files are not downloaded again, and an interrupted
download resumes where it stopped.

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
  'end a search that is queued or running',
  'Ends a search that is queued or running, and stops its query. The search becomes failed.',
  async (client, jobId, signal) => {
    const search = await client.cancel(jobId, { signal })
    return [search, describeSearch(search)]
  },
)

export const deleteCommand = commandOnSearch(
  'delete',
  'delete a search that has ended, with its files',
  'Deletes a search that has ended, with its files on the service. Downloaded files are not touched.',
  async (client, jobId, signal) => {
    await client.delete(jobId, { signal })
    return [{ job_id: jobId, deleted: true }, `deleted ${jobId}`]
  },
)
