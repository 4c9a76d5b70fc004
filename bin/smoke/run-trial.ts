import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoListFaults } from '../../adapters/dynamodb/dynamo-list-faults.ts'
import { commandRequests } from '../../adapters/request-limits.ts'
import type { CompletedSearch, SearchRequest } from '../../client/api.ts'
import { ApiError, SearchFailed } from '../../client/errors.ts'
import { RateSearchClient } from '../../client/rate-search.ts'
import { areListsBroken } from '../../core/search/file-lists.ts'
import { at } from '../../schema/at.ts'
import { countOf } from '../../schema/phrases.ts'
import { callWithoutKey } from '../stacks/call-api.ts'
import { CheckFailed, type Checks } from './checks.ts'
import { setFolders } from './explain-search.ts'
import type { Target } from './open-target.ts'
import { type Row, readRows } from './read-parquet.ts'
import { createTrialOrganization, type TrialOrganization } from './trial-organization.ts'
import { keyOfRow, type TrialSearch } from './trial-search.ts'
import { tryUrls } from './try-urls.ts'

/** A search, with the rows that it must find if they are known. */
export type Trial = TrialSearch | { readonly request: SearchRequest; readonly expected?: undefined }

/** A search that has been created, for the removal. */
export interface StartedSearch {
  readonly client: RateSearchClient
  readonly jobId: string
}

/** Checks that use the key of the trial's organization. */
export interface TrialSession {
  readonly checks: Checks
  readonly client: RateSearchClient
  readonly signal: AbortSignal
  /** Describes where a search is, or why it has failed. */
  readonly explain: (jobId: string) => Promise<string>
}

/** Checks that the API answers, and refuses a call without a key. */
export async function tryHealth(checks: Checks, { baseUrl }: Target, signal: AbortSignal): Promise<boolean> {
  const isHealthy = await checks.run('api', async () => {
    const startedAt = performance.now()
    const status = await callWithoutKey(baseUrl, signal)
    const milliseconds = Math.round(performance.now() - startedAt)
    if (status !== 401) throw new CheckFailed(`a call without a key is answered ${status}, not 401`)
    return { value: true, detail: `${baseUrl} answers in ${milliseconds} ms, and refuses a call without a key` }
  })
  return isHealthy === true
}

/** Creates the organization of the trial, and checks that its key is accepted. */
export async function tryKey(
  checks: Checks,
  target: Target,
  signal: AbortSignal,
  onCreated: (organization: TrialOrganization) => void,
): Promise<RateSearchClient | undefined> {
  return await checks.run('key', async () => {
    const organization = await createTrialOrganization(target)
    onCreated(organization)
    const client = new RateSearchClient({ url: target.baseUrl, key: organization.apiKey, retries: 2 })
    for await (const _ of client.feeSchedules({ pageSize: 1 }, { signal })) break
    return { value: client, detail: `the API accepts a new key of the organization ${organization.orgId}` }
  })
}

/**
 * Searches, and waits for the end.
 *
 * @param timeout longest time for the search, in seconds
 */
export async function trySearch(
  { checks, client, signal, explain }: TrialSession,
  { request }: Trial,
  timeout: number,
  onCreated: (search: StartedSearch) => void,
): Promise<CompletedSearch | undefined> {
  return await checks.run('search', async () => {
    const startedAt = performance.now()
    const { job_id: jobId } = await client.create(request, { signal })
    onCreated({ client, jobId })
    const limit = AbortSignal.timeout(timeout * 1000)
    const waiting = client.waitFor(jobId, { signal: AbortSignal.any([signal, limit]) })
    const search = await waiting.catch(async (error: unknown) => {
      if (!(error instanceof SearchFailed || limit.aborted)) throw error
      const end = error instanceof SearchFailed ? `failed: ${error.message}` : `has not ended after ${timeout} seconds`
      throw new CheckFailed(`${jobId} ${end}; ${await explain(jobId)}`)
    })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    return { value: search, detail: `${jobId} completed in ${seconds} s` }
  })
}

/** Warns if searches do without lists of files, because lists did not work. */
export async function tryLists(checks: Checks, { tables }: Target): Promise<void> {
  const listFaults = createDynamoListFaults(connectDynamo(commandRequests), tables.Jobs)
  if (await areListsBroken(listFaults, new Date())) checks.warn('files', `searches are slower, because ${setFolders}`)
}

/** Downloads the result, and compares its rows with those that it must have. */
export async function tryRows({ checks, client, signal }: TrialSession, trial: Trial, jobId: string): Promise<void> {
  await checks.run('rows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rate-search-smoke-'))
    try {
      const files = await client.download(jobId, folder, { signal })
      const rows: Row[] = []
      for (const { path } of files) {
        const bytes = await readFile(path)
        rows.push(...(await readRows(new Uint8Array(bytes).buffer, resultColumns)))
      }
      return { value: undefined, detail: compareRows(rows, trial) }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

const resultColumns = ['payer', 'plan', 'npi', 'tin_value', 'billing_code', 'negotiated_rate', 'price_id']

/** Returns the place of a row's price in its content, which ends its id. */
function ordinalOf(row: Row): string {
  const parts = String(row['price_id']).split('-')
  return at(parts, parts.length - 1)
}

/** @throws CheckFailed if the rows are not those that the files of the plan have */
function compareRows(rows: readonly Row[], trial: Trial): string {
  if (trial.expected === undefined) {
    if (rows.length === 0) throw new CheckFailed('the result has no rows')
    return `${countOf(rows.length, 'row')}; no file of the service's own warehouse to compare them with`
  }
  const { payer, plan } = trial.feeSchedule
  const stranger = rows.find((row) => row['payer'] !== payer || row['plan'] !== plan)
  if (stranger !== undefined)
    throw new CheckFailed(`a row is of ${stranger['payer']} / ${stranger['plan']}, not of ${payer} / ${plan}`)
  const keys = rows.map((row) => keyOfRow(ordinalOf(row), row)).sort()
  const missing = trial.expected.filter((key) => !keys.includes(key))
  const extra = keys.filter((key) => !trial.expected?.includes(key))
  if (keys.length !== trial.expected.length || keys.some((key, index) => key !== trial.expected?.[index]))
    throw new CheckFailed(
      `${countOf(keys.length, 'row')}, but ${countOf(trial.files, 'file')} of ${payer} / ${plan} have ${trial.expected.length}; missing: ${missing[0] ?? 'none'}; extra: ${extra[0] ?? 'none'}`,
    )
  return `${countOf(rows.length, 'row')}, as in the ${countOf(trial.files, 'file')} of ${payer} / ${plan}`
}

/** Checks that storage refuses URLs of the result that were changed or have expired. */
export async function trySignatures(
  { checks, signal }: TrialSession,
  search: CompletedSearch,
  isEmulated: boolean,
): Promise<void> {
  await checks.run('urls', async () => ({ value: undefined, detail: await tryUrls(search, isEmulated, signal) }))
}

/** Ends a search that a failure or Ctrl-C has left, and deletes it. */
export async function endSearch({ client, jobId }: StartedSearch): Promise<void> {
  await client.cancel(jobId).catch((error: unknown) => {
    // It has ended, which is the usual case.
    if (!(error instanceof ApiError) || error.status !== 409) throw error
  })
}
