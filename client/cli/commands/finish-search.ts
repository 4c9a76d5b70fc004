import type { CompletedSearch } from '../../api.ts'
import type { DownloadedFile } from '../../downloads/download.ts'
import { SearchFailed } from '../../errors.ts'
import type { Session } from '../command.ts'
import { printResult } from '../command.ts'
import { describeDownload } from '../progress.ts'
import { formatBytes, formatTable } from '../table.ts'

/** Waits until a search has ended, and shows progress. */
export async function followSearch({ client, progress, world }: Session, jobId: string): Promise<CompletedSearch> {
  const startedAt = world.now()
  let status: string | undefined
  for await (const search of client.follow(jobId, { signal: world.signal })) {
    if (search.status === 'failed') throw new SearchFailed(search)
    if (search.status !== status && !world.errors.isTTY) progress.say(`search ${jobId} is ${search.status}`)
    status = search.status
    if (search.status === 'completed') return search
    progress.show(() => `search ${jobId} is ${status}, for ${Math.round((world.now() - startedAt) / 1000)} s`)
  }
  throw new TypeError('a search was followed and never ended')
}

/** Downloads the files of a completed search and prints where they are. */
export async function fetchFiles(session: Session, jobId: string, folder: string): Promise<void> {
  const { client, progress, world } = session
  const describe = describeDownload(world.now)
  const files = await client.download(jobId, folder, {
    signal: world.signal,
    onProgress: (state) => {
      progress.show(() => describe(state))
    },
  })
  printResult(session, { job_id: jobId, status: 'completed', files }, formatFiles(files))
  progress.say(
    `${files.length} ${files.length === 1 ? 'file' : 'files'}, ${formatBytes(sizeOf(files))}, of search ${jobId}${describeVerified(files)}`,
  )
}

const formatFiles = (files: readonly DownloadedFile[]) =>
  formatTable(
    ['FILE', 'BYTES'],
    files.map(({ path, bytes }) => [path, bytes]),
  )

const sizeOf = (files: readonly DownloadedFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

function describeVerified(files: readonly DownloadedFile[]): string {
  const count = files.filter(({ verified }) => verified === 'checksum').length
  if (count === 0) return ''
  return count === files.length ? ', verified by checksum' : `, ${count} of them verified by checksum`
}
