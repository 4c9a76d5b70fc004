import { type Answer, type Request, send } from '../builders/proxy-event.ts'
import {
  type HttpCall,
  type JobCall,
  JudgedClient,
  jobRequest,
  methods,
  type SentSearch,
} from '../harness/judged-client.ts'
import { hold } from '../harness/property-broken.ts'
import { keyOf, type ReadAnswer } from '../harness/read-answer.ts'
import type { Caller, Moment } from '../harness/reference-facts.ts'
import { ReferenceModel } from '../harness/reference-model.ts'
import { Watch } from './invariants.ts'
import type { QueryOutcome } from './memory-athena.ts'
import { type Handlers, jobOf, type ServiceUnderTest, type WorkflowEvent } from './service-under-test.ts'
import { callers, limitsOf, readRun } from './world.ts'

/** Carries out commands on the service, and checks the answers against the reference model. */

/** The id of no job. */
export const unknownJob = '00000000-0000-4000-8000-000000000000'

const retentionMs = 7 * 86_400_000

export class Client {
  readonly service: ServiceUnderTest
  readonly model = new ReferenceModel({ retentionMs, isKnown: (caller) => callers.includes(caller), limitsOf })
  readonly watch: Watch
  private readonly calls: JudgedClient
  /** Requests to create a search that have not been answered. */
  private readonly creating = new Set<Promise<ReadAnswer>>()

  constructor(service: ServiceUnderTest) {
    this.service = service
    this.watch = new Watch(service)
    const send: Client['ask'] = (call, caller, request) => this.ask(call, caller, request)
    this.calls = new JudgedClient({ model: this.model, now: () => this.now, send })
  }

  get now(): Moment {
    const { crashes, scheduler } = this.service.gates
    return { at: this.service.world.clock.now().getTime(), crashes, isRacing: scheduler !== undefined }
  }

  async ask(call: HttpCall, { token }: Caller, request: Request): Promise<Answer> {
    const handlers: Handlers = this.service.handlers
    return send(handlers[call], { method: methods[call], token, ...request })
  }

  askJob(call: JobCall, caller: Caller, jobId: string): Promise<Answer> {
    return this.ask(call, caller, jobRequest(call, jobId))
  }

  /** A job of the caller's organization that some client has seen, or `unknownJob` if there is none. */
  ownJob({ orgId }: Caller, choice: number): string {
    const jobKeys = [...this.model.ids.keys()].filter((key) => key.startsWith(`${orgId}/`) && !key.endsWith('/'))
    return jobKeys[choice % jobKeys.length]?.slice(orgId.length + 1) ?? unknownJob
  }

  create(caller: Caller, search: SentSearch, key?: string, jobId?: string): Promise<void> {
    return this.carryOut(async () => {
      const request = this.calls.create(caller, search, key, jobId)
      this.creating.add(request)
      await request.finally(() => this.creating.delete(request))
    })
  }

  poll(caller: Caller, jobId: string): Promise<void> {
    return this.carryOut(async () => {
      const reply = await this.calls.ask('getSearch', caller, jobId)
      if (reply.status === 200 && reply.jobStatus === 'completed') await this.compareFiles(caller, jobId, reply)
    })
  }

  cancel(caller: Caller, jobId: string): Promise<void> {
    return this.carryOut(async () => {
      const reply = await this.calls.ask('cancelSearch', caller, jobId)
      hold('P1', reply.status !== 200 || reply.text.includes('"error":"cancelled: '), `${reply.text} was not cancelled`)
    })
  }

  remove(caller: Caller, jobId: string): Promise<void> {
    return this.carryOut(() => this.calls.remove(caller, jobId))
  }

  /** Reads a job or its manifest. */
  read(call: 'getSearch' | 'getManifest', caller: Caller, jobId: string): Promise<ReadAnswer> {
    return this.calls.ask(call, caller, jobId)
  }

  /** Checks that the URLs of an answer lead to exactly the files of the job, if it still exists. */
  private async compareFiles({ orgId }: Caller, jobId: string, { urls, createdAt }: ReadAnswer): Promise<void> {
    const job = await this.service.ports.jobs.read({ orgId, jobId })
    if (job?.status !== 'completed' || Date.parse(createdAt ?? '') !== job.createdAt.getTime()) return
    const keys = job.shards.map(({ key }) => key)
    hold('P4', JSON.stringify(urls.map(keyOf)) === JSON.stringify(keys), `${urls} for the files ${keys}`)
  }

  async revoke({ token }: Caller): Promise<void> {
    this.service.world.revokeKey(token)
    this.model.revoked.add(token)
  }

  async deactivate(orgId: string): Promise<void> {
    this.service.world.deactivate(orgId)
    this.model.inactive.add(orgId)
  }

  takeStep(choice: number): Promise<void> {
    const execution = pick([...this.service.world.executions.values()], choice)
    return this.carryOut(async () => execution && this.service.takeStep(execution))
  }

  /** Runs an execution step by step to its end; its queries end with `outcome`. */
  carryOn(choice: number, outcome: QueryOutcome): Promise<void> {
    const execution = pick([...this.service.world.executions.values()], choice)
    return this.carryOut(async () => {
      for (let steps = 0; execution !== undefined && steps < 5; steps++) {
        await this.service.takeStep(execution)
        if (execution.step?.next === 'await') this.service.world.athena.end(execution.step.queryId, outcome)
      }
    })
  }

  /** Delivers an earlier event again, in any state of its job. */
  repeat(back: number): Promise<void> {
    const event = pick(this.service.events.toReversed(), back)
    // The result is discarded: the engine has moved on.
    return this.carryOut(async () => {
      if (event === undefined) return
      this.service.disturbances += 1
      const before = await this.describeOthers(event)
      await Promise.allSettled([this.service.deliver(event)])
      const after = await this.describeOthers(event)
      if (this.service.gates.scheduler === undefined) hold('P8', before === after, `${before} became ${after}`)
    }, 'P8')
  }

  /** Describes all other jobs than the event's; another run of the same id is another job. */
  private async describeOthers(event: WorkflowEvent): Promise<string> {
    const { run } = jobOf(event)
    const otherRuns = this.service.world.runs.filter((other) => other.run !== run)
    return JSON.stringify(await Promise.all(otherRuns.map((other) => readRun(this.service.ports.jobs, other))))
  }

  async abort(choice: number, isTold: boolean): Promise<void> {
    const execution = pick([...this.service.world.executions.values()], choice)
    if (execution === undefined) return
    this.service.breakExecution(execution, 'ABORTED')
    const event = this.service.events.at(-1)
    await this.carryOut(async () => {
      if (isTold && event) await Promise.allSettled([this.service.deliver(event)])
    })
  }

  /** Sweeps several times concurrently, then once more: the last sweep must find nothing to do. */
  sweep(times: number): Promise<void> {
    return this.carryOut(async () => {
      const { crashes } = this.now
      await this.sweepAtOnce(times)
      if (this.service.gates.scheduler !== undefined || crashes !== this.now.crashes) return
      const once = await this.describe()
      await this.sweepAtOnce(1)
      const twice = await this.describe()
      if (crashes === this.now.crashes) hold('P9', once === twice, `${once} became ${twice}`)
    }, 'P9')
  }

  private async sweepAtOnce(times: number): Promise<void> {
    await Promise.allSettled(Array.from({ length: times }, () => this.service.handlers.sweepSearches()))
  }

  /** Describes everything that a sweep may change. */
  async describe(): Promise<string> {
    const { runs, workflow, athena } = this.service.world
    const jobs = await Promise.all(runs.map((run) => readRun(this.service.ports.jobs, run)))
    const queries = [...athena.runs.keys()].map((queryId) => [queryId, athena.isRunning(queryId)])
    return JSON.stringify([jobs, [...workflow.executions], queries])
  }

  /** Lets time pass; a minute only between creations, because their function would be stopped after 25 seconds. */
  advance(seconds: number): Promise<void> {
    return this.carryOut(async () => {
      while (seconds >= 60 && this.creating.size > 0) await Promise.allSettled(this.creating)
      this.service.world.clock.advance(seconds)
    })
  }

  endQuery(choice: number, outcome: QueryOutcome): void {
    const { athena } = this.service.world
    const running = [...athena.runs.keys()].filter(athena.isRunning)
    const queryId = pick(running, choice)
    if (queryId !== undefined) athena.end(queryId, outcome)
  }

  endNextAtOnce(outcome: QueryOutcome): void {
    this.service.world.athena.atOnce = outcome
  }

  throttle(starts: number): void {
    this.service.world.athena.fullFor = starts
  }

  crash(calls: number, isDone: boolean): void {
    this.service.gates.crash = { calls, isDone }
  }

  async carryOut(act: () => Promise<unknown>, blamed: 'P1' | 'P8' | 'P9' = 'P1'): Promise<void> {
    await this.service.carryOut(act)
    await this.watch.check(this.service.gates.scheduler === undefined ? blamed : 'P1')
  }

  /** Advances time and sweeps until there is nothing left to do; then everything must have ended. */
  async settle(): Promise<void> {
    const { gates, world } = this.service
    gates.crash = undefined
    gates.scheduler = undefined
    world.athena.fullFor = 0
    for (let hours = 0; hours < 15; hours++) {
      await this.advance(3600)
      await this.sweepAtOnce(1)
      for (let steps = 0; steps < 3; steps++)
        for (const execution of [...world.executions.values()]) await this.service.takeStep(execution)
      await this.watch.check()
    }
    await this.watch.checkEnd()
  }
}

const pick = <Item>(items: readonly Item[], choice: number): Item | undefined => items[choice % items.length]
