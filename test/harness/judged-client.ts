import type { Answer, Request } from '../builders/proxy-event.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
import type { Caller, Moment } from './reference-facts.ts'
import type { ReferenceModel } from './reference-model.ts'

/** The client of every harness: whatever happens to the service, the reference model judges each of its answers. */

export const methods = {
  createSearch: 'POST',
  listSearches: 'GET',
  getSearch: 'GET',
  getManifest: 'GET',
  cancelSearch: 'POST',
  deleteSearch: 'DELETE',
  estimateSearch: 'POST',
} as const

export type HttpCall = keyof typeof methods
export type JobCall = Exclude<HttpCall, 'createSearch' | 'listSearches' | 'estimateSearch'>

const pathEnds = { getSearch: '', getManifest: '/manifest', cancelSearch: '/cancel', deleteSearch: '' } as const

/** The request of a call about one job. */
export const jobRequest = (call: JobCall, jobId: string): Request => ({
  path: `/v1/searches/${jobId}${pathEnds[call]}`,
  pathParameters: { job_id: jobId },
})

/** A search as a client sends it. */
export interface SentSearch {
  /** The body of the request. */
  readonly text: string
  /** Names what it asks for: two texts of one search are the same request. */
  readonly search: string
}

/** The service as a client reaches it. */
export interface Connection {
  readonly model: ReferenceModel
  readonly now: () => Moment
  /** Sends a request; returns undefined if its answer is lost. */
  readonly send: (call: HttpCall, caller: Caller, request: Request) => Promise<Answer | undefined>
}

/** A request whose answer is lost may have been carried out or not, as one that the service answers with 500. */
const lost: ReadAnswer = { status: 500, text: '', isReplay: false, urls: [], body: undefined }

export class JudgedClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @param jobId derived from the key; undefined without one */
  async create(caller: Caller, { text, search }: SentSearch, key?: string, jobId?: string): Promise<ReadAnswer> {
    const { model, now } = this.#connection
    if (jobId !== undefined) model.id(caller.orgId, jobId).bodies.add(search)
    const { at, crashes } = now()
    const sent = model.send(caller, jobId ?? '', at, crashes)
    const headers = { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) }
    const reply = await this.#ask('createSearch', caller, { path: '/v1/searches', headers, body: text })
    model.judgeCreate({ caller, sent, reply, end: now() }, jobId, search)
    return reply
  }

  /** Reads or cancels a job. @param query such as `{ wait: '20' }` */
  async ask(
    call: Exclude<JobCall, 'deleteSearch'>,
    caller: Caller,
    jobId: string,
    query: NonNullable<Request['query']> = {},
  ): Promise<ReadAnswer> {
    const { model, now } = this.#connection
    const { at, crashes } = now()
    const sent = model.send(caller, jobId, at, crashes)
    const reply = await this.#ask(call, caller, { ...jobRequest(call, jobId), query })
    const shown = call === 'getManifest' ? 'described' : 'ended'
    model.judgeLook({ caller, sent, reply, end: now() }, jobId, shown)
    return reply
  }

  async remove(caller: Caller, jobId: string): Promise<ReadAnswer> {
    const { model, now } = this.#connection
    const { at, crashes } = now()
    const sent = model.send(caller, jobId, at, crashes)
    model.sendDelete(caller, jobId)
    const reply = await this.#ask('deleteSearch', caller, jobRequest('deleteSearch', jobId))
    model.judgeDelete({ caller, sent, reply, end: now() }, jobId)
    return reply
  }

  async #ask(call: HttpCall, caller: Caller, request: Request): Promise<ReadAnswer> {
    const answer = await this.#connection.send(call, caller, request)
    if (answer === undefined) return lost
    return readAnswer({ method: methods[call], path: request.path ?? '' }, answer)
  }
}
