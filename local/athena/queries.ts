import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, Engine } from './engine.ts'
import { InvalidRequest, QueryCancelled, QueryFault } from './faults.ts'
import type { S3Address } from './s3-address.ts'
import type { Statement } from './statement.ts'

/** The parameters of a new query. */
export interface QueryRequest {
  readonly text: string
  readonly database: string | undefined
  readonly workGroup: string
  /** Prefix for manifests, ending in `/`. */
  readonly output: S3Address
}

/** The state of a query. */
export type Progress =
  | { readonly state: 'QUEUED' }
  | { readonly state: 'RUNNING'; readonly startedAt: Date }
  | { readonly state: 'SUCCEEDED'; readonly startedAt: Date; readonly completedAt: Date; readonly answer: Answer }
  | { readonly state: 'FAILED'; readonly startedAt: Date; readonly completedAt: Date; readonly fault: QueryFault }
  | { readonly state: 'CANCELLED'; readonly startedAt?: Date; readonly completedAt: Date; readonly reason: string }

export interface Query {
  readonly id: string
  readonly request: QueryRequest
  readonly statement: Statement
  readonly submittedAt: Date
  readonly progress: Progress
}

export interface QueriesOptions {
  readonly engine: Engine
  /**
   * Maximum number of queries that run at once; the rest are QUEUED. Each occupies one of the four threads in Node's
   * pool (UV_THREADPOOL_SIZE), so the default of 3 leaves one for other file access in the process.
   */
  readonly queriesAtOnce: number
  readonly now: () => Date
  readonly newId: () => string
  /** Number of ended queries to remember; Athena keeps them for 45 days. */
  readonly remembered: number
}

type OwnedQuery = { -readonly [Key in keyof Query]: Query[Key] } & { readonly token: string }

/** Longest wait of `close` for stopped queries to end, in milliseconds. */
const closeTimeoutMs = 700

/** The waiting, running and recently ended queries of this process, kept in memory. */
export class Queries {
  readonly #options: QueriesOptions
  readonly #queries = new Map<string, OwnedQuery>()
  readonly #tokens = new Map<string, OwnedQuery>()
  readonly #waiting = new Set<OwnedQuery>()
  readonly #ended: OwnedQuery[] = []
  readonly #running = new Map<OwnedQuery, { readonly controller: AbortController; readonly end: Promise<void> }>()

  constructor(options: QueriesOptions) {
    this.#options = options
  }

  /**
   * Starts a query, idempotently by token. Source: Athena API, StartQueryExecution, ClientRequestToken.
   *
   * @returns the query's id; for a token that was used before, the id from the first call
   * @throws InvalidRequest if the token was used with other parameters, MalformedQuery
   */
  async start(token: string, request: QueryRequest): Promise<string> {
    const statement = await this.#options.engine.read(request.text)
    const earlierQuery = this.#tokens.get(token)
    if (earlierQuery !== undefined && JSON.stringify(earlierQuery.request) !== JSON.stringify(request))
      throw new InvalidRequest('Idempotent parameters do not match', 'IDEMPOTENT_PARAMETER_MISMATCH')
    if (earlierQuery !== undefined) return earlierQuery.id
    const query: OwnedQuery = {
      id: this.#options.newId(),
      token,
      request,
      statement,
      submittedAt: this.#options.now(),
      progress: { state: 'QUEUED' },
    }
    this.#tokens.set(token, query)
    this.#queries.set(query.id, query)
    this.#waiting.add(query)
    this.#fill()
    return query.id
  }

  /** @throws InvalidRequest if no query has this id */
  find(id: string): OwnedQuery {
    const query = this.#queries.get(id)
    if (query === undefined) throw new InvalidRequest(`QueryExecution ${id} was not found`)
    return query
  }

  /** Cancels a waiting or running query; a no-op if it has ended. @throws InvalidRequest */
  stop(id: string): void {
    const query = this.find(id)
    const cancelled = new QueryCancelled('Query cancelled by user')
    if (this.#waiting.delete(query))
      this.#end(query, { state: 'CANCELLED', completedAt: this.#options.now(), reason: cancelled.message })
    else this.#running.get(query)?.controller.abort(cancelled)
  }

  /** Stops all queries and waits until they have ended or the timeout passes. */
  async close(): Promise<void> {
    for (const query of [...this.#waiting, ...this.#running.keys()]) this.stop(query.id)
    const ends = [...this.#running.values()].map(({ end }) => end)
    await Promise.race([Promise.all(ends), wait(closeTimeoutMs, undefined, { ref: false })])
  }

  #fill(): void {
    for (const query of this.#waiting) {
      if (this.#running.size >= this.#options.queriesAtOnce) return
      this.#waiting.delete(query)
      const controller = new AbortController()
      const startedAt = this.#options.now()
      query.progress = { state: 'RUNNING', startedAt }
      this.#running.set(query, { controller, end: this.#run(query, startedAt, controller.signal) })
    }
  }

  async #run(query: OwnedQuery, startedAt: Date, signal: AbortSignal): Promise<void> {
    const ending = await this.#options.engine.run(query.statement, manifestOf(query), signal).then(
      (answer) => ({ state: 'SUCCEEDED', answer }) as const,
      (error: unknown) => endingOf(error),
    )
    this.#running.delete(query)
    this.#end(query, { ...ending, startedAt, completedAt: this.#options.now() })
    this.#fill()
  }

  #end(query: OwnedQuery, progress: Progress): void {
    query.progress = progress
    this.#ended.push(query)
    const forgotten = this.#ended.length > this.#options.remembered ? this.#ended.shift() : undefined
    if (forgotten === undefined) return
    this.#queries.delete(forgotten.id)
    this.#tokens.delete(forgotten.token)
  }
}

/** The address of an UNLOAD's manifest. Source: Athena API, QueryExecutionStatistics, DataManifestLocation. */
export function manifestOf({ id, request }: Pick<Query, 'id' | 'request'>): S3Address {
  return { bucket: request.output.bucket, key: `${request.output.key}${id}-manifest.csv` }
}

function endingOf(error: unknown) {
  if (error instanceof QueryCancelled) return { state: 'CANCELLED', reason: error.message } as const
  const fault = error instanceof QueryFault ? error : new QueryFault('GENERIC_INTERNAL_ERROR', String(error), 'engine')
  return { state: 'FAILED', fault } as const
}
