import type fc from 'fast-check'
import { getManifest } from '../../core/calls/get-manifest.ts'
import { listSearches } from '../../core/calls/lists/list-searches.ts'
import { runPrefix } from '../../core/job/attempt.ts'
import type { JobRun } from '../../core/job/job.ts'
import { resultLimits } from '../../core/workflow/publish-results.ts'
import { awaitQueryHandler } from '../../lambdas/await-query/handler.ts'
import { cancelSearchHandler } from '../../lambdas/cancel-search/handler.ts'
import { createSearchHandler } from '../../lambdas/create-search/handler.ts'
import { deleteSearchHandler } from '../../lambdas/delete-search/handler.ts'
import { estimateSearchHandler } from '../../lambdas/estimate-search/handler.ts'
import { getSearchHandler } from '../../lambdas/get-search/handler.ts'
import { servePage, serveSearch } from '../../lambdas/http/serve-call.ts'
import { publishResultsHandler } from '../../lambdas/publish-results/handler.ts'
import { recordFailureHandler } from '../../lambdas/record-failure/handler.ts'
import { startQueryHandler } from '../../lambdas/start-query/handler.ts'
import { sweepSearchesHandler } from '../../lambdas/sweep-searches/handler.ts'
import { localRatesLocation } from '../../schema/columns/rates-views.ts'
import type { NextStep, StepInput } from '../../schema/workflow-step.ts'
import { jobIdOf, retentionDays } from '../builders/sample-search.ts'
import { createMemoryJobLookup } from '../doubles/memory-access.ts'
import { createMemoryCreationLookup, wideLimits } from '../doubles/memory-usages.ts'
import { type Gates, gatePorts } from './gates.ts'
import type { Ports } from './ports.ts'
import { type Execution, endExecution, openWorld, readRun, type World } from './world.ts'

export const publicBaseUrl = 'https://rates.example/prod'
export const limits = { waitingHours: 6, runningHours: 6 }

/** Number of times that the engine retries a failed step. */
const maxRetries = 1

/** A bug put into the service, to check that the model catches it. */
export interface Reintroduced {
  readonly ports?: (ports: Ports) => Partial<Ports>
}

/** Creates the functions of the service over one set of ports. */
function openHandlers(ports: Ports, world: World) {
  const { clock, lines } = world
  let made = 0
  const common = { ...ports, publicBaseUrl, retentionDays, now: clock.now, limits }
  const publishing = { makeEmptyShard: () => new Uint8Array(4), limits: resultLimits }
  const sleep = (milliseconds: number) => clock.sleep(Math.max(milliseconds, 20_000))
  const starting = { ...common, ...publishing, sleep, ratesLocation: localRatesLocation, random: () => 0.5 }
  return {
    createSearch: createSearchHandler({
      ...common,
      // Jobs are told apart by their creation time, so no two may share a millisecond.
      now: () => {
        clock.advance(0.001)
        return clock.now()
      },
      limits: wideLimits,
      newJobId: () => jobIdOf(`job ${++made}`),
      newRun: () => `run${++made}`,
    }),
    getSearch: getSearchHandler(common),
    getManifest: serveSearch(getManifest, { ...common, lookup: ports.recordedLookup }),
    listSearches: servePage(listSearches, common),
    estimateSearch: estimateSearchHandler({ ...common, limits: wideLimits }),
    cancelSearch: cancelSearchHandler(common),
    deleteSearch: deleteSearchHandler(common),
    startQuery: chooseWait(
      startQueryHandler({ ...starting, queryWaitMs: 5000 }),
      startQueryHandler({ ...starting, queryWaitMs: 0 }),
    ),
    awaitQuery: chooseWait(
      awaitQueryHandler({ ...common, sleep, queryTurnMs: 50_000 }),
      awaitQueryHandler({ ...common, sleep, queryTurnMs: 0 }),
    ),
    publishResults: publishResultsHandler({ ...common, ...publishing }),
    recordFailure: recordFailureHandler(common),
    sweepSearches: sweepSearchesHandler({ ...common, stage: 'model', writeLine: (line) => void lines.push(line) }),
  }
}

/** Adds the stored history to the jobs of a lookup. */
function recordJobs(lookup: Ports['lookup'], { jobs }: World): Ports['recordedLookup'] {
  return {
    lookUp: async (key, jobId) => {
      const { access, job } = await lookup.lookUp(key, jobId)
      const recorded = jobs.readRecorded({ orgId: key.orgId, jobId })
      return { access, ...(job && { job: { endedAttempts: [], ...recorded, ...job } }) }
    },
  }
}

/** Half of the jobs wait for their query in start-query; the others go on to await-query at once. */
function chooseWait<Handler extends (event: unknown) => Promise<NextStep>>(waiting: Handler, handingOver: Handler) {
  return (event: StepInput) => (event.jobId.charCodeAt(0) % 2 === 0 ? waiting : handingOver)(event)
}

export type Handlers = ReturnType<typeof openHandlers>

/** An event of the workflow, which may be delivered twice or late. */
export type WorkflowEvent =
  | { readonly kind: 'step'; readonly input: StepInput }
  | { readonly kind: 'broken'; readonly status: string; readonly job: JobRun }

/** The job run that an event names. */
export const jobOf = (event: WorkflowEvent): JobRun => (event.kind === 'step' ? event.input : event.job)

export class ServiceUnderTest {
  readonly world = openWorld()
  readonly gates: Gates = { crash: undefined, crashes: 0, scheduler: undefined }
  /** The service's ports without faults or delays. */
  readonly ports: Ports
  readonly handlers: Handlers
  /** Every event that was sent, whether or not it was delivered. */
  readonly events: WorkflowEvent[] = []
  /** Queries that a step started but failed to store: they run until Athena's time-out. */
  readonly lostQueries = new Set<string>()
  /** Number of executions that were ended from outside, plus the number of repeated events. */
  disturbances = 0
  private readonly underWay: Promise<unknown>[] = []

  constructor({ ports }: Reintroduced = {}, scheduler?: fc.Scheduler) {
    const { world, gates } = this
    gates.scheduler = scheduler
    const changed = { ...world.ports, ...ports?.(world.ports) }
    this.ports = {
      ...changed,
      lookup: createMemoryJobLookup(changed.access, changed.jobs),
      recordedLookup: recordJobs(createMemoryJobLookup(changed.access, changed.jobs), world),
      creationLookup: createMemoryCreationLookup(changed.access, changed.jobs, changed.usages),
    }
    this.handlers = openHandlers(gatePorts(this.ports, gates), world)
  }

  /** Carries something out: at once, or concurrently with others if there is a scheduler. */
  async carryOut(act: () => Promise<unknown>): Promise<void> {
    if (this.gates.scheduler === undefined) {
      await act()
      return
    }
    const acting = act()
    // Failures are read later, when all actions are awaited.
    acting.catch(() => undefined)
    this.underWay.push(acting)
  }

  async waitForAll(): Promise<void> {
    await Promise.all(this.underWay)
  }

  /** Runs an execution's next step as the engine does: retries it if it fails, then records the failure. */
  async takeStep(execution: Execution): Promise<void> {
    if (execution.isBusy) return
    execution.isBusy = true
    const { job, step } = execution
    const input: StepInput = { ...job, ...(step && { step }) }
    this.events.push({ kind: 'step', input })
    const [taken] = await Promise.allSettled([this.deliver({ kind: 'step', input })])
    if (taken.status === 'fulfilled' && taken.value !== undefined) {
      execution.step = taken.value
      execution.failures = 0
      if (taken.value.next === 'end') endExecution(this.world, execution)
    } else if (execution.failures++ >= maxRetries) {
      await this.recordCaught(execution)
    }
    execution.isBusy = false
  }

  /** Ends an execution abnormally; the rule's event for it may be lost. */
  breakExecution(execution: Execution, status: 'FAILED' | 'ABORTED' | 'TIMED_OUT'): void {
    endExecution(this.world, execution)
    this.disturbances += 1
    this.events.push({ kind: 'broken', status, job: execution.job })
  }

  private async recordCaught(execution: Execution): Promise<void> {
    const error = { Error: 'Error', Cause: 'a step broke' }
    await Promise.allSettled([this.handlers.recordFailure({ ...execution.job, error })])
    this.breakExecution(execution, 'FAILED')
  }

  /** Delivers an event, even if its execution has ended. */
  async deliver(event: WorkflowEvent): Promise<NextStep | undefined> {
    if (event.kind === 'broken') {
      await this.handlers.recordFailure({ status: event.status, input: JSON.stringify(event.job) })
      return undefined
    }
    const { input } = event
    if (input.step?.next === 'await') return this.handlers.awaitQuery(input)
    if (input.step?.next === 'publish') return this.handlers.publishResults(input)
    const [started] = await Promise.allSettled([this.handlers.startQuery(input)])
    if (started.status === 'fulfilled') return started.value
    await this.noteLost(input)
    throw started.reason
  }

  private async noteLost(input: StepInput): Promise<void> {
    const { athena, jobs } = this.world
    const job = await readRun(jobs, input)
    const noted = job !== undefined && 'query' in job ? job.query?.queryId : undefined
    for (const { queryId, prefix } of athena.runs.values())
      if (prefix.startsWith(runPrefix(input)) && queryId !== noted) this.lostQueries.add(queryId)
  }
}
