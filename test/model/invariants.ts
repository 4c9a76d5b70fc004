import type { SearchEndedEvent } from '../../contract/search-api.ts'
import { endOf, executionName, isTerminal, type Job } from '../../core/job/job.ts'
import { searchIdColumn } from '../../schema/columns/search-tables.ts'
import { hold, type Property } from '../harness/property-broken.ts'
import type { RunQuery } from './memory-athena.ts'
import type { ServiceUnderTest } from './service-under-test.ts'
import { callers, limitsOf, readRun, stranger } from './world.ts'

/** Invariants of everything that is stored and logged, checked after each command. */

const ranks = { queued: 0, processing: 1, completed: 2, failed: 2 } as const

export class Watch {
  private readonly ranks = new Map<string, number>()
  private readonly ended = new Map<string, string>()
  private readonly gone = new Set<string>()
  private readonly service: ServiceUnderTest
  private linesRead = 0
  private announcementsRead = 0

  constructor(service: ServiceUnderTest) {
    this.service = service
  }

  /** @param blamed the property that is violated if an ended job changes; it depends on the last command */
  async check(blamed: Extract<Property, 'P1' | 'P8' | 'P9'> = 'P1'): Promise<void> {
    const { runs, executions } = this.service.world
    for (const run of runs) {
      const name = executionName(run)
      const job = await readRun(this.service.ports.jobs, run)
      if (job === undefined) {
        this.gone.add(name)
        continue
      }
      hold(blamed, !this.gone.has(name), `${name} is back`)
      this.checkProgress(name, job, blamed)
      if (job.status === 'completed') this.checkFiles(job)
    }
    const names = new Set(runs.map(executionName))
    for (const name of executions.keys()) hold('P9', names.has(name), `${name} is the execution of no job`)
    this.checkQueries()
    this.checkLog()
    await this.checkAnnouncements()
    // With racing calls, time can pass between the writes of one request, so that the sweeper frees its slot too early.
    if (this.service.gates.scheduler === undefined) await this.checkSlots()
  }

  private checkProgress(name: string, job: Job, blamed: Property): void {
    const rank = ranks[job.status]
    hold(blamed, rank >= (this.ranks.get(name) ?? 0), `${name} went back to ${job.status}`)
    this.ranks.set(name, rank)
    if (rank < 2) return
    const text = JSON.stringify(job)
    const before = this.ended.get(name)
    hold(blamed, before === undefined || before === text, `${before} became ${text}`)
    this.ended.set(name, text)
  }

  private checkFiles({ shards, orgId, jobId, run, attempt }: Extract<Job, { status: 'completed' }>): void {
    const { athena, files } = this.service.world
    const prefix = `results/${orgId}/${jobId}/${run}/attempt-${attempt}/`
    const query = [...athena.runs.values()].find((one) => one.prefix === prefix)
    const resultKeys = query?.listed?.length === 0 ? [`${prefix}no-rows.parquet`] : query?.listed
    const keys = shards.map(({ key }) => key)
    hold('P4', JSON.stringify(keys) === JSON.stringify(resultKeys), `${keys} where its query lists ${resultKeys}`)
    const lost = keys.find((key) => !files.footers.has(key))
    hold('P4', lost === undefined, `${lost} does not exist`)
  }

  private checkQueries(): void {
    const runs = [...this.service.world.athena.runs.values()]
    const prefixes = new Set(runs.map(({ prefix }) => prefix))
    hold('P8', prefixes.size === runs.length, 'an attempt has two queries')
    for (const [job, jobQueries] of Map.groupBy(runs, ({ prefix }) => prefix.replace(/attempt-\d+\/$/, ''))) {
      const queries = jobQueries.filter(({ failure }) => failure?.fault === 'exhausted')
      const statements = new Set(queries.map(({ prefix, statement }) => statement.replace(prefix, '')))
      hold('P17', queries.length <= 2, `${queries.length} queries of ${job} ran out of memory`)
      hold('P17', statements.size === queries.length, `${job} repeated a statement that ran out of memory`)
      const byLists = jobQueries.map(({ statement }) => statement.includes(searchIdColumn.name))
      const broken = jobQueries.findIndex(({ failure }, index) => byLists[index] === true && isListFailure(failure))
      const later = broken < 0 ? [] : byLists.slice(broken + 1)
      hold('P18', !later.includes(true), `${job} read lists again after they had failed`)
    }
  }

  private checkLog(): void {
    const { lines } = this.service.world
    for (; this.linesRead < lines.length; this.linesRead++) {
      const line = lines[this.linesRead] ?? ''
      const secretText = secrets.find((secret) => line.includes(secret)) ?? /https?:\/\/|Bearer/i.exec(line)?.[0]
      hold('P7', secretText === undefined, `${line} has ${secretText}`)
    }
  }

  /** An announced job that is still stored ended as it was announced. */
  private async checkAnnouncements(): Promise<void> {
    const { runs, announcements } = this.service.world
    for (; this.announcementsRead < announcements.made.length; this.announcementsRead++) {
      const event = announcements.made[this.announcementsRead]
      const run = runs.find((one) => executionName(one) === event?.id)
      hold('P12', event !== undefined && run !== undefined, `${event?.id} was announced and is no job`)
      const job = await readRun(this.service.ports.jobs, run)
      const isRight = job === undefined || describeEnd(job) === describeEvent(event)
      hold('P12', isRight, `${event.id} is ${job && describeEnd(job)} and was announced as ${describeEvent(event)}`)
    }
  }

  /** Every job that has not ended holds a slot, and an organization holds as many as it may. */
  private async checkSlots(): Promise<void> {
    const { runs, usages } = this.service.world
    for (const run of runs) {
      const job = await readRun(this.service.ports.jobs, run)
      const holds = job === undefined || isTerminal(job.status) || usages.usages.get(run.orgId)?.slots.has(run.jobId)
      hold('P13', holds === true, `${executionName(run)} is ${job?.status} without a slot`)
    }
    for (const [orgId, { slots }] of usages.usages)
      hold('P13', slots.size <= limitsOf(orgId).searches, `${orgId} holds ${slots.size} slots`)
  }

  /** Checks what must hold once nothing is left to do. */
  async checkEnd(): Promise<void> {
    const { runs, executions, athena } = this.service.world
    const noted = new Set<string>()
    for (const run of runs) {
      const job = await readRun(this.service.ports.jobs, run)
      if (job?.status === 'failed' && job.query) noted.add(job.query.queryId)
      hold('P2', job === undefined || ranks[job.status] === 2, `${executionName(run)} is still ${job?.status}`)
    }
    hold('P2', executions.size === 0, `${[...executions.keys()]} are still running`)
    await this.checkCounts()
    this.checkAllAnnounced()
    for (const [orgId, { slots }] of this.service.world.usages.usages)
      hold('P13', slots.size === 0, `${orgId} still holds slots of ${[...slots.keys()]}`)
    const running = [...athena.runs.keys()].filter((queryId) => athena.isRunning(queryId))
    const orphans = running.filter((queryId) => noted.has(queryId) || !this.service.lostQueries.has(queryId))
    // Two faults may orphan a query, which runs until Athena's time-out; the job ends all the same.
    if (this.service.gates.crashes + this.service.disturbances > 1) return
    hold('P2', orphans.length === 0, `${orphans} are still running`)
  }

  /** Only a job that another replaced after its retention may be unannounced: the sweeper had days for it. */
  private checkAllAnnounced(): void {
    const { runs, replaced, announcements } = this.service.world
    const announced = new Set(announcements.made.map(({ id }) => id))
    const silent = runs.map(executionName).filter((name) => !announced.has(name) && !replaced.has(name))
    hold('P12', silent.length === 0, `${silent} were never announced`)
  }

  /** A call that fails right after it was carried out may lose the count. */
  private async checkCounts(): Promise<void> {
    const { runs, counted } = this.service.world
    const { crashes } = this.service.gates
    const total = [...counted.values()].flat().length
    hold('P11', total <= runs.length && total >= runs.length - crashes, `${total} ends of ${runs.length} jobs`)
    for (const run of runs) {
      const words = counted.get(run.jobId) ?? []
      const lives = runs.filter(({ jobId }) => jobId === run.jobId).length
      hold('P11', words.length <= lives, `${executionName(run)} is counted as ${words}`)
      const job = await readRun(this.service.ports.jobs, run)
      const word = job?.status === 'failed' ? job.error.split(':')[0] : job?.status
      const isCounted = word === undefined || words.includes(word)
      hold('P11', isCounted || crashes > 0, `${executionName(run)} ended as ${word} and is counted as ${words}`)
    }
  }
}

const isListFailure = (failure: RunQuery['failure']) =>
  failure?.fault === 'nothing-read' || failure?.reason.includes('search_negotiated_rates') === true

/** The outcome of a job that has ended, or else its status. */
function describeEnd(job: Job): string {
  const word = job.status === 'failed' ? ` ${job.error.split(':')[0]}` : ''
  return `${job.status}${word} at ${endOf(job)?.getTime()}`
}

function describeEvent(event: SearchEndedEvent): string {
  return event.status === 'failed'
    ? `failed ${event.error_word} at ${Date.parse(event.failed_at)}`
    : `completed at ${Date.parse(event.completed_at)}`
}

/** Texts that no log line may contain: each key as it is sent, and its secret. */
const secrets = [...callers, stranger].flatMap(({ token }) => [token, token.slice(26, 56)])
