import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSearchClient, type SearchClient } from '../../harness/search-client.ts'
import { type MeasuredService, runScript, startMeasuredService, type Version } from './measured-process.ts'

/** A generated file and the billing codes that it has most often. */
export interface MeasuredFile {
  readonly shape: string
  readonly path: string
  readonly codes: readonly string[]
}

/** Processor seconds by what was measured. */
export type Usages = ReadonlyMap<string, number>

/** Polls of a completed search. */
const polls = 200

/** Searches without rows. */
const emptySearches = 10

/** Time for what follows a search, such as its events, in milliseconds. */
const settling = 300

/** Loads each file into a new folder, then searches the last one with the service, and measures all of it. */
export async function measureVersion(
  version: Version,
  files: readonly MeasuredFile[],
  folder: string,
): Promise<Usages> {
  const usages = new Map<string, number>()
  const dataFolder = join(folder, 'data')
  for (const { shape, path } of files) {
    await rm(dataFolder, { recursive: true, force: true })
    const { seconds } = await runScript(version, 'load', [path, '--create', '--data', dataFolder])
    usages.set(`load, ${shape} groups`, seconds)
  }
  await using service = await startMeasuredService(version, dataFolder)
  usages.set('start of the service', await service.readUsage())
  const client = await connect(version, service, dataFolder)
  const codes = files.at(-1)?.codes ?? []
  const measure = async (what: string, work: () => Promise<unknown>) => {
    const before = await service.readUsage()
    await work()
    await sleep(settling)
    usages.set(what, (await service.readUsage()) - before)
  }
  const absent = { billing_codes: ['ABSENT'] }
  // Each function that takes part starts its first environment.
  await measure('start of the functions of a search', () => client.search(absent))
  await measure(`${emptySearches} searches without rows`, async () => {
    for (let count = 0; count < emptySearches; count++) await client.search(absent)
  })
  await measure('search, ten frequent codes', () => client.search({ billing_codes: codes }))
  for (const weight of ['tins', 'prices'] as const)
    await measure(`summary by ${weight}, ten frequent codes`, () =>
      client.search({ billing_codes: codes, summary: { weight } }),
    )
  const jobId = await client.search(absent)
  await measure(`${polls} polls`, async () => {
    for (let count = 0; count < polls; count++) await client.poll(jobId)
  })
  return usages
}

/** Creates an organization with a key, and a client with it. */
async function connect(version: Version, { baseUrl }: MeasuredService, dataFolder: string): Promise<SearchClient> {
  const keys = async (...args: readonly string[]) =>
    (await runScript(version, 'keys', [...args, '--data', dataFolder])).output.trim()
  return openSearchClient(baseUrl, await keys('create', await keys('create-organization', 'Bench')))
}
