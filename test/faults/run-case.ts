import { setTimeout as sleep } from 'node:timers/promises'
import { SFNClient } from '@aws-sdk/client-sfn'
import type { DemoOrganization } from '../../bin/seed.ts'
import type { CompletedSearchBody, SearchBody } from '../../contract/search-api.ts'
import { failureWords } from '../../core/failure.ts'
import { findSampleRows } from '../conformance/samples.ts'
import { describeRows, readResult } from '../conformance/shards.ts'
import { askAfterwards } from './ask.ts'
import type { CaseClient } from './case-client.ts'
import { connectCase } from './case-client.ts'
import type { Delivery } from './delivery.ts'
import { deliverAgain, deliverSweeps, deliverTwice } from './delivery.ts'
import type { PlannedFault } from './fault.ts'
import type { CaseRecord } from './fault-proxy.ts'
import type { FaultyService } from './faulty-service.ts'
import type { Scenario } from './scenario.ts'
import { endOf } from './scenario.ts'
import type { StoredJob } from './stored-job.ts'
import { ageJob, isMoving, listJobs } from './stored-job.ts'

/** The result of one case. */
export interface CaseResult {
  readonly scenario: Scenario
  readonly fault: PlannedFault | undefined
  readonly delivery: Delivery
  /** The completed job and its organization, to read the job again later. */
  readonly completed: { readonly organization: DemoOrganization; readonly jobId: string }
  readonly record: CaseRecord
  /** `completed`, the kind of failure, or what the case found instead. */
  readonly outcome: string
  /** What went wrong, one line each. */
  readonly problems: readonly string[]
  readonly sweeps: number
  readonly ms: number
  /** Reads the terminal job again: its answer must never change. */
  readonly again: () => Promise<readonly string[]>
}

/** How long a job may take including sweeps, in milliseconds: far below any deadline of the service. */
const maxCaseMs = 60_000

/** How many sweeps a job may need to end. */
const maxSweeps = 4

const sfn = new SFNClient({})

/** Runs a job to its end with a fault planned for one of its calls, and checks the result. */
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
    client.createSearch(scenario.request, delivery.posts === undefined ? undefined : 'once'),
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
      : await followJob(faulty, client, record, scenario, job, delivery)
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
  const outcome = scenario.asks === 'delete' && ended === 'completed' && wrong.length === 0 ? 'deleted' : ended
  if (outcome !== end) problems.push(`ended ${outcome} instead of ${end}`)
  const failuresAllowed =
    /^(create|get|cancel|delete)-search /.test(fault?.call ?? '') && !fault?.fault.startsWith('once') ? 1 : 0
  if (client.failures > failuresAllowed) problems.push(`${client.failures} answers were 500`)
  if (client.conflicts > (fault?.fault === 'conditional' ? 1 : 0)) problems.push('a cancellation was answered 409')
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
 * Polls as a client does. Once no execution is running, it invokes the sweeper, as the schedule does on AWS, or cancels
 * the job if the scenario says so.
 */
async function followJob(
  faulty: FaultyService,
  client: CaseClient,
  record: CaseRecord,
  scenario: Scenario,
  job: StoredJob,
  delivery: Delivery,
): Promise<{ readonly search: SearchBody | undefined; readonly sweeps: number }> {
  const deadline = Date.now() + maxCaseMs
  let search: SearchBody | undefined
  let sweeps = 0
  for (let pauseMs = 150; Date.now() < deadline; pauseMs = Math.min(pauseMs * 1.3, 800)) {
    const wasMoving = await isMoving(sfn, record)
    search = await client.getSearch(job.job_id)
    if (search?.status === 'completed' || search?.status === 'failed') return { search, sweeps }
    if (!wasMoving && search !== undefined) {
      if (sweeps === maxSweeps) break
      if (scenario.asks === 'cancel') {
        await client.cancelSearch(job.job_id)
        continue
      }
      sweeps += 1
      for (const stored of await listJobs(faulty, job.org_id)) await ageJob(faulty, stored, scenario.hours)
      await deliverSweeps(faulty, record, delivery)
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

/** Checks that each file is listed once, all are of one attempt, and their rows are exactly those of the samples. */
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
    ...(folders.size === 1 ? [] : ['files are from several attempts']),
    ...(rows.length === expected.length && rows.every((row, index) => row === expected[index])
      ? []
      : ['rows differ from the samples']),
  ]
}

/** The part of an answer that must not change: each answer has new signatures, but for the same files. */
export function fingerprint(search: SearchBody | undefined): string {
  if (search?.status !== 'completed') return JSON.stringify(search)
  const { expires_at, download_urls, ...rest } = search
  return JSON.stringify({ ...rest, files: download_urls.map((url) => new URL(url).pathname) })
}
