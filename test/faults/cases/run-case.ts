import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoOrganization } from '../../../bin/samples/seed.ts'
import type { SearchBody } from '../../../contract/search-api.ts'
import {
  type AnswerLog,
  type ContractClient,
  connectClient,
  hasEnded,
  openAnswerLog,
} from '../../harness/contract-client.ts'
import { type FollowedSearch, findWrongStores } from '../../harness/end-rules.ts'
import { describeEnd, findExpectedRows, findWrongEnd } from '../../harness/known-searches.ts'
import { ageJobs, listStoredJobs, listUnannounced, type StoredJob } from '../../harness/stored-jobs.ts'
import type { PlannedFault } from '../proxy/fault.ts'
import type { CaseRecord } from '../proxy/fault-proxy.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import { awaitAnnouncement, isMoving } from './announced.ts'
import { askAfterwards } from './ask.ts'
import { type Delivery, deliverAgain, deliverSweeps, deliverTwice } from './delivery.ts'
import { endOf, type Scenario } from './scenario.ts'

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
  const answers = openAnswerLog(() => [...record.hits.values()].reduce((sum, hits) => sum + hits, 0))
  const client = connectClient({ baseUrl: faulty.service.baseUrl, apiKey: organization.api_key }, answers)
  const problems: string[] = []
  const end = endOf(scenario, fault)

  if (delivery.twice !== undefined) deliverTwice(faulty, record, delivery.twice)
  const posts = Array.from({ length: delivery.posts ?? 1 }, () =>
    client.createSearch(scenario.request, delivery.posts === undefined && !scenario.hasKey ? undefined : 'once'),
  )
  const [accepted] = await Promise.all(posts)
  if (accepted === undefined) {
    await Promise.allSettled(record.held)
    if ((await listStoredJobs(faulty.jobs, organization.id)).length === 0) await client.createSearch(scenario.request)
  }
  const [job] = await listStoredJobs(faulty.jobs, organization.id)
  const { search, sweeps } =
    job === undefined
      ? { search: undefined, sweeps: 0 }
      : await followJob(faulty, client, job, { record, scenario, delivery, answers })
  await Promise.allSettled(record.held)
  await deliverAgain(faulty, record, delivery)
  if (job !== undefined && delivery.again !== undefined) await client.getSearch(job.job_id)
  const ended = describeEnd(search)
  const known = {
    body: scenario.request,
    end: end === 'completed' || end === 'deleted' ? findExpectedRows(scenario.request) : end,
  }
  // Before the job is deleted with its rows.
  const wrongEnd = await findWrongEnd(known, search)
  if (wrongEnd !== undefined) problems.push(wrongEnd)
  const queries = record.queries.size
  if (queries > (scenario.queries ?? 1) || (ended === 'completed' && queries === 0)) problems.push(`${queries} queries`)
  const wrong = await askAfterwards(faulty, client, { scenario, fault, job, search })
  problems.push(...wrong)
  if (job !== undefined) await awaitAnnouncement(faulty, record, job)
  const isShortLived = end === 'deleted'
  const followed: FollowedSearch = {
    known,
    isShortLived,
    isGone: isShortLived && wrong.length === 0,
    ...(job && { jobId: accepted?.job_id ?? job.job_id }),
    ...(search && { end: search }),
  }
  const stored = await listStoredJobs(faulty.jobs, organization.id)
  problems.push(...findWrongStores([followed], stored, listUnannounced(faulty.dataFolder, job ? [job.job_id] : [])))
  const outcome = isShortLived && ended === 'completed' && wrong.length === 0 ? 'deleted' : ended
  const failuresAllowed =
    /^(create|get|cancel|delete)-search /.test(fault?.call ?? '') && !fault?.fault.startsWith('once') ? 1 : 0
  if (answers.failures.length > failuresAllowed) problems.push(`${answers.failures.length} answers with 500`)
  if (answers.conflicts.length > (fault?.fault === 'conditional' ? 1 : 0)) problems.push('cancelling met a conflict')
  problems.push(...answers.violations, ...answers.lost)

  const again = () => askAgain(client, answers, scenario, job)
  const completed = { organization, jobId: job?.job_id ?? '' }
  return { scenario, fault, delivery, completed, record, outcome, problems, sweeps, ms: Date.now() - started, again }
}

/** Asks for a job once more, whose end or deletion must not have changed. */
async function askAgain(
  client: ContractClient,
  { violations }: AnswerLog,
  { asks }: Scenario,
  job: StoredJob | undefined,
): Promise<readonly string[]> {
  if (job === undefined) return []
  const before = violations.length
  const isAnswered = asks === 'delete' ? await client.isGone(job.job_id) : await client.getSearch(job.job_id)
  return [...violations.slice(before), ...(isAnswered ? [] : ['the job was not answered once more'])]
}

/**
 * Polls like a client. When there is no more progress, runs the sweeper as its schedule would, or cancels the job if
 * the scenario says so.
 */
async function followJob(
  faulty: FaultyService,
  client: ContractClient,
  job: StoredJob,
  {
    record,
    scenario,
    delivery,
    answers,
  }: Pick<CaseResult, 'record' | 'scenario' | 'delivery'> & {
    readonly answers: AnswerLog
  },
): Promise<{ readonly search: SearchBody | undefined; readonly sweeps: number }> {
  const deadline = Date.now() + maxCaseMs
  let search: SearchBody | undefined
  let sweeps = 0
  let wholeSweeps = 0
  for (let pauseMs = 150; Date.now() < deadline; pauseMs = Math.min(pauseMs * 1.3, 800)) {
    const wasMoving = await isMoving(faulty, record)
    search = await client.getSearch(job.job_id, scenario.wait)
    if (search && hasEnded(search)) return { search, sweeps }
    if (!wasMoving && search !== undefined) {
      if (wholeSweeps === maxSweeps) break
      if (scenario.asks === 'cancel') {
        await client.cancelSearch(job.job_id)
        continue
      }
      sweeps += 1
      await ageJobs(faulty.jobs, job.org_id, scenario.hours)
      const [{ created_at }] = [...(await listStoredJobs(faulty.jobs, job.org_id)), job]
      answers.model.moveCreation({ orgId: job.org_id }, job.job_id, new Date(created_at))
      if (await deliverSweeps(faulty, record, delivery)) wholeSweeps += 1
    } else {
      await sleep(pauseMs)
    }
  }
  return { search, sweeps }
}
