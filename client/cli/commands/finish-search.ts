import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { requestedValuesOf, shownFilters } from '../../../contract/filters.ts'
import { countOf, nameSome } from '../../../schema/phrases.ts'
import type { CompletedManifest, CompletedSearch, Estimate, Summary } from '../../api.ts'
import { CommandFailed, UsageError } from '../../command-line/command-errors.ts'
import { describeReads, formatBytes, formatSeconds, formatTable, maxShownNames } from '../../command-line/table.ts'
import type { DownloadProgress } from '../../downloads/download.ts'
import { makeFolder } from '../../downloads/make-folder.ts'
import { DownloadFailed, SearchFailed } from '../../errors.ts'
import { printResult, type Session } from '../command.ts'
import { saveSearch } from '../saved-searches.ts'
import { isSuperseded } from './start-search.ts'

/** The options of commands that fetch results. */
export const resultOptions = {
  out: { type: 'string', default: '.' },
  'fail-if-empty': { type: 'boolean', default: false },
} as const

/** The help text of these options. */
export const resultUsage = `  --out <folder>    download the files to this folder (default: the current folder)
  --fail-if-empty   exit with 3 if the result has no rows`

/** Refuses a folder for results before a query runs for them. */
export async function prepareFolder(folder: string): Promise<void> {
  await makeFolder(folder).catch((error: unknown) => {
    throw error instanceof DownloadFailed ? new UsageError(`--out: ${error.message}`) : error
  })
}

/**
 * Waits until a search has ended, and shows the elapsed time and the size of what it reads.
 *
 * @param estimate of the search, if there is one
 * @throws SearchFailed
 */
export async function followSearch(
  { client, progress, world }: Session,
  jobId: string,
  estimate?: Estimate,
): Promise<CompletedSearch> {
  const startedAt = world.now()
  const size = estimate === undefined ? '' : describeSize(estimate)
  // Shown until the first answer, which can take seconds and may be the last one.
  let status = 'waiting'
  const passed = () => formatSeconds(Math.round((world.now() - startedAt) / 1000))
  progress.show(() => `${status}, ${passed()} so far${size}: search ${jobId}`)
  for await (const search of client.follow(jobId, { signal: world.signal })) {
    if (search.status === 'failed') throw new SearchFailed(search)
    if (search.status !== status && !world.errors.isTTY) progress.say(`search ${jobId} is ${search.status}`)
    status = search.status
    if (search.status === 'completed') {
      progress.show(() => `completed, downloading next: search ${jobId}`)
      return search
    }
  }
  throw new TypeError('a search was followed and never ended')
}

const describeSize = ({ files, bytes }: Estimate) => (files === null ? '' : `, reads ${describeReads(files, bytes)}`)

/**
 * Downloads the files of a completed search, prints their paths, and warns of facts that the rows do not show.
 *
 * @param facts further fields for `--json`
 * @throws CommandFailed with exit code 3 for no rows, if they are required
 */
export async function fetchFiles(
  session: Session,
  jobId: string,
  values: { readonly out: string; readonly 'fail-if-empty': boolean },
  facts: { readonly reused?: boolean } = {},
): Promise<void> {
  const { client, progress, world } = session
  const describe = describeDownload(world.now)
  const manifest = await client.completedManifest(jobId, { signal: world.signal })
  const files = await client.download(jobId, values.out, {
    signal: world.signal,
    onProgress: (state) => {
      progress.show(() => describe(state))
    },
  })
  await saveSearch(values.out, manifest)
  const { status, created_at, rows, bytes, truncated, without_rows, shards } = manifest
  const fee_schedules = manifest.fee_schedules.map(
    ({ payer, plan, loaded_at, last_updated_on, partial, superseded }) => {
      return { payer, plan, loaded_at, last_updated_on, partial, superseded }
    },
  )
  const superseded = isSuperseded(manifest)
  const counts = { rows, truncated, without_rows }
  const result = { job_id: jobId, status, created_at, ...facts, superseded, ...counts, fee_schedules, files }
  const cells = files.map((file, index) => [file.path, file.bytes, shards[index]?.rows])
  printResult(session, result, formatTable(['FILE', 'BYTES', 'ROWS'], cells))
  const checked = files.filter(({ verified }) => verified === 'checksum').length
  const verified = checked === 0 ? '' : `, ${checked === files.length ? '' : `${checked} of them `}verified by checksum`
  progress.say(`${countOf(rows, 'row')} in ${countOf(files.length, 'file')}, ${formatBytes(bytes)}${verified}`)
  const dated = fee_schedules.map(
    (each) =>
      `${each.payer} / ${each.plan} of ${each.last_updated_on ?? 'an unknown date'}${each.partial ? ', partial' : ''}`,
  )
  progress.say(`rates of ${nameSome(dated, maxShownNames, '; ')}`)
  for (const warning of findWarnings(manifest, facts.reused !== undefined)) progress.warn(warning)
  await warnOfOthers(session, values.out, files)
  if (rows === 0 && values['fail-if-empty']) throw new CommandFailed(`search ${jobId} found no rows`, 3)
}

/** Returns a function that describes a download with its speed since the first call. */
export function describeDownload(now: () => number): (progress: DownloadProgress) => string {
  let start: { readonly at: number; readonly bytes: number } | undefined
  return ({ bytes, totalBytes, files, totalFiles }) => {
    start ??= { at: now(), bytes }
    const seconds = (now() - start.at) / 1000
    const speed = seconds < 1 ? [] : [`${formatBytes((bytes - start.bytes) / seconds)}/s`]
    const fileCount = `${files} of ${totalFiles} ${totalFiles === 1 ? 'file' : 'files'}`
    const share = totalBytes === 0 ? 1 : bytes / totalBytes
    const bar = `[${'#'.repeat(Math.floor(share * 20)).padEnd(20, '.')}]`
    return [
      `${bar} ${Math.floor(share * 100)} %`,
      `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`,
      ...speed,
      fileCount,
    ].join('  ')
  }
}

/** Warns if the folder of a result has Parquet files of other searches, which would be read as the same result. */
export async function warnOfOthers(
  { progress }: Session,
  folder: string,
  files: readonly { readonly path: string }[],
): Promise<void> {
  const ownNames = new Set(files.map(({ path }) => basename(path)))
  const foreignFiles = (await readdir(folder)).filter((name) => name.endsWith('.parquet') && !ownNames.has(name))
  if (foreignFiles.length > 0)
    progress.warn(
      `${folder} also has ${countOf(foreignFiles.length, 'Parquet file')} of other searches: ${nameSome(foreignFiles, maxShownNames)}`,
    )
}

/** Says that a summary has more rows than those with its first ranks. */
export const describeCut = ({ limit }: Pick<Summary, 'limit'>): string =>
  `there are more rows than those with the first ${limit} ranks: ranked_count has their number`

/** Returns warnings about facts that a reader of the rows alone would not see. */
function findWarnings(manifest: CompletedManifest, canRenew: boolean): readonly string[] {
  const { request, rows, truncated, without_rows: without, fee_schedules, job_id, created_at } = manifest
  const old = fee_schedules
    .filter(({ superseded }) => superseded === true)
    .map(({ payer, plan }) => `${payer} / ${plan}`)
  const hint = canRenew ? '; use --if-newer to search the current rates' : ''
  const absent = shownFilters.flatMap((filter) => {
    const missing = requestedValuesOf(without ?? {}, filter) ?? []
    if (missing.length === 0) return []
    const values = requestedValuesOf(request, filter) ?? []
    return `no rows for ${missing.length} of ${countOf(values.length, filter.nouns[0])}: ${nameSome(missing.map(String), maxShownNames)}`
  })
  return [
    ...(old.length === 0
      ? []
      : [
          `search ${job_id}, created ${created_at}, has earlier rates of ${nameSome(old, maxShownNames)}, which have been replaced or removed since${hint}`,
        ]),
    ...(truncated && request.summary ? [describeCut(request.summary)] : []),
    ...(truncated && !request.summary
      ? [`the search has more rows than its limit: these are any ${rows} of them, in no order`]
      : []),
    ...(rows === 0 ? ['the result has no rows: no rate matches all lists'] : []),
    ...absent,
  ]
}
