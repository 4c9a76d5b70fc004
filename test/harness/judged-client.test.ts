import { describe, expect, it } from 'vitest'
import { deriveJobId } from '../../core/job/idempotency-key.ts'
import { formatTimestamp } from '../../core/time.ts'
import type { Answer } from '../builders/proxy-event.ts'
import { wideLimits } from '../doubles/memory-usages.ts'
import { JudgedClient } from './judged-client.ts'
import { ReferenceModel } from './reference-model.ts'

/** The client over a service that gives scripted answers: it finds what no service may answer. */

const caller = { orgId: 'AAAAAAAAAAAA', token: 'a key' }
const createdAt = new Date('2026-11-20T09:30:00.123Z')
const hourMs = 3_600_000
const sent = { text: '{}', search: '{}' }
const jobId = deriveJobId(caller.orgId, 'order-1')
const otherId = deriveJobId(caller.orgId, 'order-2')

const answer = (status: number, body?: unknown, headers = {}): Answer => ({
  status,
  headers: { 'X-Request-Id': 'r1', ...headers },
  body,
  text: JSON.stringify(body) ?? '',
  requestId: 'r1',
})

function show(status: string, fields: object = {}, created = createdAt): object {
  const base = { job_id: jobId, created_at: formatTimestamp(created), status }
  return { ...base, status_url: `https://rates.example/v1/searches/${jobId}`, ...fields }
}

const notFound = answer(404, { error: { type: 'not_found', message: 'There is no such search.', request_id: 'r1' } })
const accepted = answer(202, show('queued'))
const queued = answer(200, show('queued'))
const processing = answer(200, show('processing'))
const failed = (error: string, created = createdAt) => answer(200, show('failed', { error }, created))
const timeout = 'timeout: The search waited too long for capacity. Submit it again later.'
const internal = 'internal: The search could not be completed. Submit it again.'

/** A client whose calls get these answers, one after the other; undefined loses one. */
function connect(answers: readonly (Answer | undefined)[]) {
  const left = [...answers]
  const model = new ReferenceModel({ retentionMs: 7 * 24 * hourMs, isKnown: () => true, limitsOf: () => wideLimits })
  let lost = 0
  const client = new JudgedClient({
    model,
    now: () => ({ at: createdAt.getTime() + 1000, crashes: lost, isRacing: true }),
    send: async () => {
      const next = left.shift()
      if (next === undefined) lost += 1
      return next
    },
  })
  return {
    model,
    create: () => client.create(caller, sent, 'order-1', jobId),
    poll: () => client.ask('getSearch', caller, jobId),
    remove: () => client.remove(caller, jobId),
  }
}

type Calls = ReturnType<typeof connect>

async function follow(answers: readonly (Answer | undefined)[], ...calls: readonly Exclude<keyof Calls, 'model'>[]) {
  const client = connect(answers)
  for (const call of calls) await client[call]()
}

describe('the client of every harness', () => {
  it.each([
    ['a job that goes back', 'P1', [accepted, processing, queued], ['create', 'poll', 'poll']],
    ['an end that changes', 'P1', [failed(timeout), failed(internal)], ['poll', 'poll']],
    ['an accepted job that is not found', 'P1', [accepted, notFound], ['create', 'poll']],
    [
      'a job that was not found and is back',
      'P1',
      [queued, answer(204), notFound, queued],
      ['poll', 'remove', 'poll', 'poll'],
    ],
    ['a job that is back after its deletion', 'P1', [accepted, answer(204), queued], ['create', 'remove', 'poll']],
    [
      'a deletion answered with 404 that deleted nothing',
      'P1',
      [failed(timeout), notFound, failed(timeout)],
      ['poll', 'remove', 'poll'],
    ],
    [
      'another id for the same key',
      'P3',
      [accepted, answer(202, { ...show('queued'), job_id: otherId })],
      ['create', 'create'],
    ],
    ['a job that was created twice', 'P3', [accepted, accepted], ['create', 'create']],
    ['a second job under an id', 'P3', [accepted, answer(200, show('queued', {}, new Date(0)))], ['create', 'poll']],
    ['a field that is not in the contract', 'P6', [answer(200, show('queued', { run: 'r1' }))], ['poll']],
    [
      'an internal error without a fault',
      'P6',
      [answer(500, { error: { type: 'internal_error', message: 'Internal error.', request_id: 'r1' } })],
      ['poll'],
    ],
  ] as const)('refuses %s', async (_name, property, answers, calls) => {
    await expect(follow(answers, ...calls)).rejects.toMatchObject({ name: 'PropertyBroken', property })
  })

  it('accepts the job of a request whose answer was lost, and its deletion by one', async () => {
    const replayed = answer(202, show('queued'), { 'Idempotent-Replayed': 'true' })
    const answers = [undefined, replayed, processing, failed(timeout), undefined, notFound, notFound]
    const calls = ['create', 'create', 'poll', 'poll', 'remove', 'poll', 'remove'] as const
    await expect(follow(answers, ...calls)).resolves.toBeUndefined()
  })

  it('remembers a job whose stored times are moved', async () => {
    const earlier = new Date(createdAt.getTime() - 9 * hourMs)
    const { model, create, poll } = connect([
      accepted,
      processing,
      failed(timeout, earlier),
      answer(200, show('queued', {}, earlier)),
    ])
    await create()
    await poll()
    model.moveCreation(caller, jobId, earlier)
    await poll()
    await expect(poll()).rejects.toMatchObject({ property: 'P1' })
  })
})
