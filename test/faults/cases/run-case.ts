import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoOrganization } from '../../../bin/samples/seed.ts'
import { failureWords } from '../../../contract/failure-words.ts'
import type { CompletedSearchBody, SearchBody } from '../../../contract/search-api.ts'
import { findSampleRows } from '../../conformance/samples.ts'
import { describeRows, readResult } from '../../conformance/shards.ts'
import type { PlannedFault } from '../proxy/fault.ts'
import type { CaseRecord } from '../proxy/fault-proxy.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import { findUnannounced } from './announced.ts'
import { askAfterwards } from './ask.ts'
import { type CaseClient, connectCase } from './case-client.ts'
import { type Delivery, deliverAgain, deliverSweeps, deliverTwice } from './delivery.ts'
import { endOf, type Scenario } from './scenario.ts'
import { ageJob, isMoving, listJobs, type StoredJob } from './stored-job.ts'

/** The outcome of one case. */
export interface CaseResult {
  readonly scenario: Scenario
  readonly fault: PlannedFault | undefined
  readonly delivery: Delivery
  /** The job and its owner, to read it again later. */
  readonly completed: { readonly organization: DemoOrganization; readonly jobId: string }
  readonly record: CaseRecord
  /** `completed`, the word of a failure, or a description of what happened instead. */
  readonly outcome: string
  /** The violations that were found. */
  readonly problems: readonly string[]
  readonly sweeps: number
  readonly ms: number
  /** The answer that the ended job must give from now on. */
  readonly again: () => Promise<readonly string[]>
}

/** Maximum milliseconds for a job including its sweeps: far below the service's own deadlines. */
const maxCaseMs = 60_000

/** Maximum number of whole sweeps before a job must have ended. */
const maxSweeps = 4

/** Runs a job from creation to end with a fault planned for one of its calls, and checks the outcome. */
export async function runCase(
  faulty: FaultyService,
  scenario: Scenario,
  fault?: PlannedFault,
  delivery: Delivery = {},
): Promise<CaseResult> {
  const started = Date.now()
  const organization = await faulty.newOrganization()
  const record = faulty.proxy.open(organization.id, [...(fault ? [fault] : []), ...scenario.standing])
  const client = connectCase(faulty.service.baseUrl, organization.api_key)
  const problems: string[] = []
  const end = endOf(scenario, fault)

  if (delivery.twice !== undefined) deliverTwice(faulty, record, delivery.twice)
  const posts = Array.from({ length: delivery.posts ?? 1 }, () =>
    client.createSearch(scenario.request, delivery.posts === undefined && !scenario.hasKey ? undefined : 'once'),
  )
  const [accepted] = await Promise.all(posts)
  if (accepted === undefined) {
    await Promise.allSettled(record.held)
    if ((await listJobs(faulty, organization.id)).length === 0) await client.createSearch(scenario.request)
  }
  const jobs = await listJobs(faulty, organization.id)
  if (jobs.length !== 1) problems.push(`${jobs.length} jobs`)
  const [job] = jobs
  if (accepted !== undefined && job?.job_id !== accepted) problems.push('the accepted job is not stored')
  const { search, sweeps } =
    job === undefined
      ? { search: undefined, sweeps: 0 }
      : await followJob(faulty, client, job, { record, scenario, delivery })
  await Promise.allSettled(record.held)
  await deliverAgain(faulty, record, delivery)
  if (fingerprint(job && (await client.getSearch(job.job_id))) !== fingerprint(search) && delivery.again !== undefined)
    problems.push('a late delivery changed the terminal answer')
  const ended = describeOutcome(search)
  if (search?.status === 'completed') problems.push(...(await findResultFaults(scenario, search)))
  const queries = record.queries.size
  if (queries > 1 || (ended === 'completed' && queries !== 1)) problems.push(`${queries} queries`)
  const wrong = await askAfterwards(faulty, client, { scenario, fault, job, search })
  problems.push(...wrong)
  if (job !== undefined) problems.push(...(await findUnannounced(faulty, record, job)))
  const outcome = scenario.asks === 'delete' && ended === 'completed' && wrong.length === 0 ? 'deleted' : ended
  if (outcome !== end) problems.push(`ended ${outcome} instead of ${end}`)
  const failuresAllowed =
    /^(create|get|cancel|delete)-search /.test(fault?.call ?? '') && !fault?.fault.startsWith('once') ? 1 : 0
  if (client.failures > failuresAllowed) problems.push(`${client.failures} answers with 500`)
  if (client.conflicts > (fault?.fault === 'conditional' ? 1 : 0)) problems.push('cancelling met a conflict')
  problems.push(...client.unspecified)

  const again = async () => ((await isAsBefore(client, scenario, job, search)) ? [] : ['the terminal answer changed'])
  const completed = { organization, jobId: job?.job_id ?? '' }
  return { scenario, fault, delivery, completed, record, outcome, problems, sweeps, ms: Date.now() - started, again }
}

async function isAsBefore(
  client: CaseClient,
  { asks }: Scenario,
  job: StoredJob | undefined,
  search: SearchBody | undefined,
): Promise<boolean> {
  if (job === undefined) return search === undefined
  if (asks === 'delete') return client.isGone(job.job_id)
  return fingerprint(await client.getSearch(job.job_id)) === fingerprint(search)
}

/**
 * Polls like a client. When there is no more progress, runs the sweeper as its schedule would, or cancels the job if
 * the scenario says so.
 */
async function followJob(
  faulty: FaultyService,
  client: CaseClient,
  job: StoredJob,
  { record, scenario, delivery }: Pick<CaseResult, 'record' | 'scenario' | 'delivery'>,
): Promise<{ readonly search: SearchBody | undefined; readonly sweeps: number }> {
  const deadline = Date.now() + maxCaseMs
  let search: SearchBody | undefined
  let sweeps = 0
  let wholeSweeps = 0
  for (let pauseMs = 150; Date.now() < deadline; pauseMs = Math.min(pauseMs * 1.3, 800)) {
    const wasMoving = await isMoving(faulty.stepFunctions, record)
    search = await client.getSearch(job.job_id)
    if (search?.status === 'completed' || search?.status === 'failed') return { search, sweeps }
    if (!wasMoving && search !== undefined) {
      if (wholeSweeps === maxSweeps) break
      if (scenario.asks === 'cancel') {
        await client.cancelSearch(job.job_id)
        continue
      }
      sweeps += 1
      for (const stored of await listJobs(faulty, job.org_id)) await ageJob(faulty, stored, scenario.hours)
      if (await deliverSweeps(faulty, record, delivery)) wholeSweeps += 1
    } else {
      await sleep(pauseMs)
    }
  }
  return { search, sweeps }
}

function describeOutcome(search: SearchBody | undefined): string {
  if (search?.status !== 'failed') return search?.status ?? 'nothing'
  const word = search.error.split(':')[0] ?? ''
  return Object.hasOwn(failureWords, word) ? word : `failed: ${search.error}`
}

/** Checks that the files are distinct and from one attempt, and that their rows are exactly the expected ones. */
async function findResultFaults(
  { request: { npis, billing_codes, fee_schedules } }: Scenario,
  search: CompletedSearchBody,
): Promise<readonly string[]> {
  const paths = search.download_urls.map((url) => new URL(url).pathname)
  const folders = new Set(paths.map((path) => path.replace(/\/[^/]*$/, '')))
  const rows = await readResult(search)
  const expected = describeRows(
    findSampleRows({ codes: billing_codes, plans: fee_schedules, ...(npis !== undefined && { npis }) }),
  )
  return [
    ...(new Set(paths).size === paths.length && paths.length > 0 ? [] : ['files are missing or listed twice']),
    ...(folders.size === 1 ? [] : ['files of several attempts']),
    ...(rows.length === expected.length && rows.every((row, index) => row === expected[index]) ? [] : ['other rows']),
  ]
}

/** The constant part of a job's answer: URLs are signed again each time, but lead to the same files. */
export function fingerprint(search: SearchBody | undefined): string {
  if (search?.status !== 'completed') return JSON.stringify(search)
  const { expires_at, download_urls, ...rest } = search
  return JSON.stringify({ ...rest, files: download_urls.map((url) => new URL(url).pathname) })
}
