import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { openLogFile } from '../../../local/lambda/log-file.ts'
import type { JobDefinition } from './job-definition.ts'

/** A job as Step Functions submits it. */
export interface JobRequest {
  readonly name: string
  readonly definition: string
  /** The number of children of an array job; undefined for any other. */
  readonly size: number | undefined
  readonly environment: Readonly<Record<string, string>>
}

export type JobStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED'

export interface JobAttempt {
  readonly startedAt: Date
  stoppedAt?: Date
  exitCode?: number
}

/** A job, or a child of an array job. */
export interface Job {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly size: number | undefined
  readonly attempts: JobAttempt[]
  status: JobStatus
}

export interface BatchOptions {
  readonly definitions: readonly JobDefinition[]
  readonly logFolder: string
  readonly now: () => Date
  readonly newId: () => string
}

/** Runs jobs of AWS Batch as processes of this machine, all children of an array at once. */
export class BatchJobs {
  readonly #options: BatchOptions
  readonly #jobs = new Map<string, Job>()
  readonly #running = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  constructor(options: BatchOptions) {
    this.#options = options
    mkdirSync(options.logFolder, { recursive: true })
  }

  /**
   * Runs a job to its end.
   *
   * @param stop ends the job, as TerminateJob would
   * @throws JobFailed if it, or a child of an array, failed
   */
  async run(request: JobRequest, stop: AbortSignal): Promise<Job> {
    const definition = this.#options.definitions.find(({ arn }) => arn === request.definition)
    if (definition === undefined) throw new JobFailed(`JobDefinition ${request.definition} does not exist`)
    const { size } = request
    const job = this.#add(this.#options.newId(), request)
    const indexes = size === undefined ? [undefined] : Array.from({ length: size }, (_, index) => index)
    const runs = indexes.map((index) => {
      const child = index === undefined ? job : this.#add(`${job.id}:${index}`, { ...request, size: undefined })
      return this.#runOne(child, definition, { request, index, stop: AbortSignal.any([stop, this.#closing.signal]) })
    })
    const outcome = Promise.all(runs)
    this.#running.add(outcome)
    const statuses = await outcome.finally(() => this.#running.delete(outcome))
    job.status = statuses.every((status) => status === 'SUCCEEDED') ? 'SUCCEEDED' : 'FAILED'
    if (job.status === 'FAILED') throw new JobFailed(`the job ${job.name} failed`)
    return job
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id)
  }

  /** Lists the jobs, without children, whose names begin with a text. */
  list(prefix: string): readonly Job[] {
    return [...this.#jobs.values()].filter(({ id, name }) => !id.includes(':') && name.startsWith(prefix))
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running)
  }

  #add(id: string, { name, size }: JobRequest): Job {
    const job: Job = { id, name, size, createdAt: this.#options.now(), attempts: [], status: 'RUNNING' }
    this.#jobs.set(id, job)
    return job
  }

  async #runOne(
    job: Job,
    definition: JobDefinition,
    { request, index, stop }: { request: JobRequest; index: number | undefined; stop: AbortSignal },
  ): Promise<JobStatus> {
    while (!stop.aborted && job.attempts.length < definition.maxAttempts) {
      const attempt: JobAttempt = { startedAt: this.#options.now() }
      job.attempts.push(attempt)
      attempt.exitCode = await this.#spawn(job, definition, { request, index, stop })
      attempt.stoppedAt = this.#options.now()
      if (attempt.exitCode === 0) job.status = 'SUCCEEDED'
      if (attempt.exitCode === 0 || definition.finalExitCodes.includes(attempt.exitCode)) break
    }
    if (job.status === 'RUNNING') job.status = 'FAILED'
    return job.status
  }

  async #spawn(
    { id, name, attempts }: Job,
    { program, args, environment }: JobDefinition,
    { request, index, stop }: { request: JobRequest; index: number | undefined; stop: AbortSignal },
  ): Promise<number> {
    const child = spawn(process.execPath, [program, ...args], {
      env: {
        ...environment,
        ...request.environment,
        AWS_BATCH_JOB_ID: id,
        AWS_BATCH_JOB_ATTEMPT: String(attempts.length),
        ...(index !== undefined && { AWS_BATCH_JOB_ARRAY_INDEX: String(index) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const log = openLogFile(join(this.#options.logFolder, `${name}.log`))
    for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
    const end = () => child.kill('SIGTERM')
    stop.addEventListener('abort', end, { once: true })
    const [code, signal]: [number | null, NodeJS.Signals | null] = await once(child, 'close').then(
      ([exitCode, endSignal]) => [exitCode, endSignal],
    )
    stop.removeEventListener('abort', end)
    // A container that is ended by a signal exits with 128 and its number.
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  }
}

/** The job did not succeed. The name is that of a failed task's error in Step Functions. */
export class JobFailed extends Error {
  override readonly name = 'States.TaskFailed'
}
