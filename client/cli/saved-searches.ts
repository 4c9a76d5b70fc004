import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CompletedManifest } from '../api.ts'
import { CommandFailed } from '../command-line/command-errors.ts'
import { codeOf } from '../errors.ts'
import type { ComparedSearch } from '../results/comparison/comparable-requests.ts'

/** The searches of downloaded files: what was asked for stands beside the files, because the files do not say it. */

/** Readers of folders of Parquet files, such as pandas and Spark, skip names that begin with `_`. */
const nameOf = (jobId: string) => `_${jobId}.manifest.json`

/** Saves the manifest of a search beside its files, without the URLs, which are secret and expire. */
export async function saveSearch(folder: string, { shards, ...manifest }: CompletedManifest): Promise<void> {
  const files = shards.map(({ url: _, ...shard }) => shard)
  await writeFile(join(folder, nameOf(manifest.job_id)), `${JSON.stringify({ ...manifest, shards: files }, null, 2)}\n`)
}

/** Files are named by their searches. */
const jobIdAtStart = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/**
 * Reads the searches that files come from.
 *
 * @returns undefined if the search of a file is not saved beside it
 * @throws CommandFailed if one cannot be read
 */
export async function readSearches(paths: readonly string[]): Promise<readonly ComparedSearch[] | undefined> {
  const folders = new Set<string>()
  for (const path of paths) {
    const [jobId] = jobIdAtStart.exec(basename(path)) ?? []
    if (jobId === undefined) return undefined
    folders.add(join(dirname(path), nameOf(jobId)))
  }
  const searches: ComparedSearch[] = []
  for (const folder of folders) {
    const search = await readSearch(folder)
    if (search === undefined) return undefined
    searches.push(search)
  }
  return searches
}

async function readSearch(path: string): Promise<ComparedSearch | undefined> {
  try {
    const { request, truncated }: Partial<CompletedManifest> = JSON.parse(await readFile(path, 'utf8'))
    if (typeof request !== 'object' || typeof truncated !== 'boolean') throw new SyntaxError('it is no manifest')
    return { request, truncated }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`${path} cannot be read: ${reason}; download the result again`)
  }
}
