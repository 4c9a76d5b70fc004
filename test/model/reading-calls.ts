import * as v from 'valibot'
import type { Answer } from '../builders/proxy-event.ts'
import { type JobCall, methods } from '../harness/judged-client.ts'
import { hold } from '../harness/property-broken.ts'
import { comparable, keyOf, readAnswer } from '../harness/read-answer.ts'
import type { Caller, ListEntry } from '../harness/reference-facts.ts'
import { type Client, unknownJob } from './client.ts'
import { callers } from './world.ts'

/** Calls that must change nothing, checked against the reference model and against each other. */

/** A search that clients send, and the parts of it that its manifest shows. */
export interface KnownSearch {
  readonly text: string
  readonly search: string
  readonly applied: unknown
  /** True if its fee schedule can be searched. */
  readonly exists: boolean
}

const page = v.object({
  searches: v.array(v.object({ job_id: v.string(), created_at: v.string(), status: v.string() })),
  next_cursor: v.nullable(v.string()),
})

/** Reads the whole list, page by page. */
export function listJobs(client: Client, caller: Caller, status: string | undefined, limit: number): Promise<void> {
  return client.carryOut(async () => {
    const sent = client.model.sendForAll(caller, client.now.at, client.now.crashes)
    const entries: ListEntry[] = []
    let cursor: string | undefined
    do {
      const answer = await askList(client, caller, { status, limit: String(limit), cursor })
      if (!client.model.admit(caller, sent, readAnswer({ method: 'GET' }, answer), client.now.crashes)) return
      hold('P14', answer.status === 200, `a list was answered ${answer.text}`)
      const { searches, next_cursor } = v.parse(page, answer.body)
      hold('P14', searches.length <= limit, `${searches.length} jobs on a page of ${limit}`)
      for (const { job_id: jobId, created_at: createdAt, status: jobStatus } of searches)
        entries.push({ jobId, createdAt, jobStatus })
      hold('P14', next_cursor === null || next_cursor !== cursor, 'a page has the cursor of the page before')
      cursor = next_cursor ?? undefined
      if (cursor !== undefined) await checkForeignCursor(client, caller, { status, limit: String(limit), cursor })
    } while (cursor !== undefined)
    client.model.judgeList({ caller, sent, end: client.now }, status, entries)
  })
}

interface ListQuery {
  readonly status: string | undefined
  readonly limit: string
  readonly cursor: string | undefined
}

function askList(client: Client, caller: Caller, query: ListQuery): Promise<Answer> {
  const { status, limit, cursor } = query
  const parameters = { limit, ...(status !== undefined && { status }), ...(cursor !== undefined && { cursor }) }
  return client.ask('listSearches', caller, { path: '/v1/searches', query: parameters })
}

/** A cursor is valid only for the organization and the status that it was made for. */
async function checkForeignCursor(client: Client, caller: Caller, query: ListQuery): Promise<void> {
  const other = callers.find(({ orgId }) => orgId !== caller.orgId)
  const status = query.status === undefined ? 'queued' : undefined
  const answers = [
    await askList(client, caller, { ...query, status }),
    ...(other ? [await askList(client, other, query)] : []),
  ]
  for (const answer of answers) {
    readAnswer({ method: 'GET' }, answer)
    hold('P14', answer.status !== 200, `a cursor of ${caller.orgId} was accepted for another list`)
  }
}

const manifest = v.object({
  status: v.string(),
  created_at: v.string(),
  completed_at: v.exactOptional(v.string()),
  error: v.exactOptional(v.string()),
  processing_at: v.exactOptional(v.string()),
  failed_at: v.exactOptional(v.string()),
  request: v.unknown(),
  attempts: v.array(v.object({ attempt: v.number(), outcome: v.string() })),
  rows: v.exactOptional(v.number()),
  shards: v.exactOptional(v.array(v.object({ rows: v.number() }))),
})

/** Reads the manifest of a job, and compares it with the job's request and poll. */
export function describeJob(
  client: Client,
  caller: Caller,
  jobId: string,
  searches: readonly KnownSearch[],
): Promise<void> {
  return client.carryOut(async () => {
    const reply = await client.read('getManifest', caller, jobId)
    if (reply.status !== 200) return
    const shown = v.parse(manifest, JSON.parse(reply.text))
    checkHistory(shown, client.now.isRacing)
    const body = client.model.bodyOf(caller, jobId, shown.created_at)
    const expected = searches.find(({ search }) => search === body)?.applied
    const isApplied = expected === undefined || JSON.stringify(expected) === JSON.stringify(shown.request)
    hold('P15', isApplied, `${JSON.stringify(shown.request)} is the request of ${body}`)
    const polled = client.now.isRacing ? undefined : await client.read('getSearch', caller, jobId)
    if (polled?.status !== 200) return
    const { status, created_at, completed_at, error } = v.parse(manifest, { ...JSON.parse(reply.text) })
    const poll: Record<string, unknown> = JSON.parse(polled.text)
    const differs = Object.entries({ status, created_at, completed_at, error }).filter(
      ([name, value]) => poll[name] !== value,
    )
    hold('P15', differs.length === 0, `${differs} differ from ${polled.text}`)
    hold('P15', reply.urls.map(keyOf).join() === polled.urls.map(keyOf).join(), `${reply.urls} for ${polled.urls}`)
  })
}

/**
 * Times and attempts are in order, the last attempt of a completed job succeeded, and rows add up. A cancellation that
 * races the start of a job may have read its clock before.
 */
function checkHistory(shown: v.InferOutput<typeof manifest>, isRacing: boolean): void {
  const { created_at, processing_at, completed_at, failed_at, attempts, rows, shards = [] } = shown
  const times = [created_at, processing_at, completed_at ?? failed_at].filter((time) => time !== undefined)
  hold('P15', isRacing || times.toSorted().join() === times.join(), `${times} are not in order`)
  const numbers = attempts.map(({ attempt }) => attempt)
  const ascending = [...new Set(numbers)].sort((a, b) => a - b)
  hold('P15', ascending.join() === numbers.join(), `${numbers} are not in order`)
  const isRight = shown.status !== 'completed' || attempts.at(-1)?.outcome === 'succeeded'
  hold('P15', isRight, `a completed job has the attempts ${JSON.stringify(attempts)}`)
  const sum = shards.reduce((total, shard) => total + shard.rows, 0)
  hold('P15', (rows ?? 0) === sum, `${rows} rows in files of ${sum}`)
}

const estimate = v.object({ fee_schedules: v.array(v.object({ exists: v.boolean() })) })

/** Estimates a search: nothing is stored or started, and its fee schedules exist as a search would find. */
export function estimateSearch(client: Client, caller: Caller, { text, exists }: KnownSearch): Promise<void> {
  return client.carryOut(async () => {
    const sent = client.model.sendForAll(caller, client.now.at, client.now.crashes)
    const before = await client.describe()
    const headers = { 'Content-Type': 'application/json' }
    const answer = await client.ask('estimateSearch', caller, { path: '/v1/estimates', headers, body: text })
    const after = await client.describe()
    hold('P16', client.now.isRacing || before === after, `${before} became ${after}`)
    const reply = readAnswer({ method: 'POST' }, answer)
    if (!client.model.judgeEstimate({ caller, sent, reply, end: client.now })) return
    hold('P16', answer.status === 200, `an estimate was answered ${answer.text}`)
    const answers = v.parse(estimate, answer.body).fee_schedules.map((each) => each.exists)
    hold('P16', answers.join() === String(exists), `${text} was answered ${answer.text}`)
  })
}

/** Asks for another organization's job and for an unknown one with the same key; the answers must be the same. */
export function compareForeign(client: Client, caller: Caller, choice: number, call: JobCall): Promise<void> {
  return client.carryOut(async () => {
    const foreign = client.service.world.runs.filter(({ orgId }) => orgId !== caller.orgId)
    const jobId = foreign[choice % foreign.length]?.jobId
    // Two organizations never share an id through an Idempotency-Key, but they might by chance.
    if (jobId === undefined || client.model.ids.has(`${caller.orgId}/${jobId}`)) return
    const facts = () => [client.now.crashes, ...client.model.reasons(caller)].join()
    const before = facts()
    const answer = await client.askJob(call, caller, jobId)
    const none = await client.askJob(call, caller, unknownJob)
    for (const each of [answer, none]) readAnswer({ method: methods[call] }, each)
    if (before !== facts()) return
    hold('P5', comparable(answer) === comparable(none), `${comparable(answer)} instead of ${comparable(none)}`)
  })
}
